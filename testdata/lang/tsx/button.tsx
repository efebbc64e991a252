import { useState, type ReactNode } from "react";

export interface ButtonProps {
  label: string;
  children?: ReactNode;
}

/** A button that counts its clicks. */
export function Button({ label, children }: ButtonProps): JSX.Element {
  const [clicks, setClicks] = useState<number>(0);
  const onClick = () => setClicks(clicks + 1);
  return (
    <button aria-label={label} onClick={onClick}>
      {children ?? clicks}
    </button>
  );
}

export const Row = (props: { items: string[] }) => (
  <div>
    {props.items.map((item) => (
      <Button key={item} label={item} />
    ))}
  </div>
);

class Panel extends React.Component<ButtonProps> {
  render() {
    return <Row items={[this.props.label]} />;
  }
}
