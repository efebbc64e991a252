// Marks beside the lines of a diff, each with a sign of its own (not only a colour) and what it means as its title.

import { RangeSet, type Extension } from '@codemirror/state';
import { GutterMarker, gutter } from '@codemirror/view';

export interface Mark {
  line: number; // of the new text
  kind: 'uncovered' | 'lint' | 'look';
  text: string;
}

const signs: Record<Mark['kind'], string> = { uncovered: '○', lint: '•', look: '!' };

class Sign extends GutterMarker {
  constructor(readonly marks: Mark[]) {
    super();
  }
  override eq(other: Sign): boolean {
    return other.marks === this.marks;
  }
  override toDOM(): Node {
    const el = document.createElement('span');
    const kind = (['look', 'uncovered', 'lint'] as const).find((k) => this.marks.some((m) => m.kind === k)) ?? 'lint';
    el.className = `cm-sign cm-sign-${kind}`;
    el.dataset.kind = kind;
    el.textContent = signs[kind];
    el.title = this.marks.map((m) => m.text).join('\n');
    el.setAttribute('role', 'img');
    el.setAttribute('aria-label', el.title);
    return el;
  }
}

/** margin gives the gutter of a view; without marks there is none, so that it takes no room. */
export function margin(marks: readonly Mark[]): Extension {
  if (marks.length === 0) return [];
  const byLine = new Map<number, Mark[]>();
  for (const m of marks) byLine.set(m.line, [...(byLine.get(m.line) ?? []), m]);
  return gutter({
    class: 'cm-margin',
    markers(view) {
      const doc = view.state.doc;
      const placed = [...byLine].filter(([line]) => line >= 1 && line <= doc.lines);
      return RangeSet.of(placed.map(([line, all]) => new Sign(all).range(doc.line(line).from)), true);
    },
  });
}
