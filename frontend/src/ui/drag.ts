// Dragging a row as text: other programs get plain text, our own fields know that it is to be quoted.

export const dragged = 'application/x-redgreen-quote';

/** dragText starts to drag a text. */
export function dragText(e: DragEvent, text: string): void {
  e.dataTransfer?.setData('text/plain', text);
  e.dataTransfer?.setData(dragged, text);
  if (e.dataTransfer) e.dataTransfer.effectAllowed = 'copy';
}
