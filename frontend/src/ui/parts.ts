// Marks what changed within a line. A line that is new or gone as a whole has its colour already: marking all of it would
// hide the lines of which a part changed.

import { getChunks, type Chunk } from '@codemirror/merge';
import { RangeSetBuilder } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view';

const part = Decoration.mark({ class: 'cm-part' });

function build(view: EditorView): DecorationSet {
  const info = getChunks(view.state);
  const b = new RangeSetBuilder<Decoration>();
  for (const c of info?.chunks ?? []) {
    const onA = info?.side === 'a';
    const [from, to] = onA ? [c.fromA, c.toA] : [c.fromB, c.toB];
    if (to < view.viewport.from || from > view.viewport.to) continue;
    for (const [start, end] of changed(view, c, onA, from)) b.add(start, end, part);
  }
  return b.finish();
}

/** changed gives the ranges of a chunk's changes, cut at line ends, without those that are a line's whole text. */
function changed(view: EditorView, c: Chunk, onA: boolean, base: number): [number, number][] {
  if (c.fromA === c.toA || c.fromB === c.toB) return [];
  const doc = view.state.doc;
  const out: [number, number][] = [];
  for (const ch of c.changes) {
    const from = base + (onA ? ch.fromA : ch.fromB);
    const to = Math.min(base + (onA ? ch.toA : ch.toB), doc.length);
    for (let pos = from; pos < to; ) {
      const line = doc.lineAt(pos);
      const end = Math.min(to, line.to);
      const text = doc.sliceString(pos, end);
      if (text.trim() !== '' && text.trim() !== line.text.trim()) out.push([pos, end]);
      pos = line.to + 1;
    }
  }
  return out;
}

export const changedParts = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = build(view);
    }
    update(u: ViewUpdate) {
      const other = getChunks(u.startState)?.chunks !== getChunks(u.state)?.chunks;
      if (u.docChanged || u.viewportChanged || other) this.decorations = build(u.view);
    }
  },
  { decorations: (v) => v.decorations },
);
