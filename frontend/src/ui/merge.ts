// A diff of two whole texts in the editor component, side by side or unified.

import { MergeView, getChunks, unifiedMergeView, type Chunk } from '@codemirror/merge';
import { forceParsing } from '@codemirror/language';
import { Text, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { flash, reading } from './editor';
import { margin, type Mark } from './margin';
import { changedParts } from './parts';

// The component's own limit of 500 makes one big chunk of any file whose changes lie far apart; half a second is the
// longest that a person should wait for exactness.
const diffConfig = { scanLimit: 100_000, timeout: 500 };
const collapse = { margin: 3, minSize: 6 };

export interface MergeOptions {
  parent: HTMLElement;
  path: string;
  before: string | null;
  after: string | null;
  unified: boolean;
  whole: boolean; // unfold what did not change
  language: Extension;
  marks?: readonly Mark[]; // beside lines of the new text
}

export interface Merged {
  /** chunks is the number of changed places. */
  chunks(): number;
  /** show scrolls to the changed place i. */
  show(i: number): void;
  /** at is where the changed place i begins: a line of the new text or, where nothing stands for what was removed, of the old. */
  at(i: number): { line: number; removed: boolean } | null;
  /** reveal scrolls to a line of the new text; false when it is folded away. */
  reveal(line: number): boolean;
  destroy(): void;
}

/** merge builds the view. A file that is added or deleted has one side only and is always shown unified. */
export function merge(o: MergeOptions): Merged {
  const oneSided = o.before === null || o.after === null;
  return o.unified || oneSided ? unified(o) : sideBySide(o);
}

function sideBySide(o: MergeOptions): Merged {
  const view = new MergeView({
    a: { doc: o.before ?? '', extensions: [reading(`${o.path}, before`, o.language), changedParts] },
    b: { doc: o.after ?? '', extensions: [reading(`${o.path}, after`, o.language), margin(o.marks ?? []), changedParts] },
    parent: o.parent,
    gutter: true,
    highlightChanges: false,
    collapseUnchanged: o.whole ? undefined : collapse,
    diffConfig,
  });
  colour(view.a);
  colour(view.b);
  return control(view.b, view.a.state.doc, () => view.chunks, o.whole, () => view.destroy());
}

function unified(o: MergeOptions): Merged {
  const view = new EditorView({
    doc: o.after ?? '',
    parent: o.parent,
    extensions: [
      reading(`${o.path}, changes`, o.language),
      margin(o.marks ?? []),
      EditorView.editorAttributes.of({ class: 'cm-merge-b' }),
      unifiedMergeView({
        original: o.before ?? '',
        gutter: true,
        mergeControls: false,
        collapseUnchanged: o.whole ? undefined : collapse,
        diffConfig,
      }),
      changedParts,
    ],
  });
  colour(view);
  return control(view, Text.of((o.before ?? '').split('\n')), () => getChunks(view.state)?.chunks ?? [], o.whole, () => view.destroy());
}

/** colour parses what is likely to be seen first, so that the text does not change its colours under the reader's eyes. */
function colour(view: EditorView): void {
  forceParsing(view, Math.min(view.state.doc.length, 60_000), 40);
}

function control(view: EditorView, before: Text, chunks: () => readonly Chunk[], whole: boolean, destroy: () => void): Merged {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const scroll = (pos: number) => {
    const line = view.state.doc.lineAt(Math.min(pos, view.state.doc.length));
    view.dispatch({ effects: [EditorView.scrollIntoView(line.from, { y: 'center' }), flash.of(line.from)] });
    clearTimeout(timer);
    timer = setTimeout(() => view.dispatch({ effects: flash.of(null) }), 1600);
  };
  const visible = (pos: number) =>
    whole || chunks().some((c) => {
      const doc = view.state.doc;
      const first = doc.lineAt(Math.min(c.fromB, doc.length)).number - collapse.margin;
      const last = doc.lineAt(Math.min(c.endB, doc.length)).number + collapse.margin;
      const line = doc.lineAt(pos).number;
      return line >= first && line <= last;
    });
  return {
    chunks: () => chunks().length,
    show(i) {
      const c = chunks()[i];
      if (c) scroll(c.fromB);
    },
    at(i) {
      const c = chunks()[i];
      if (!c) return null;
      const removed = c.fromB >= c.endB;
      const doc = removed ? before : view.state.doc;
      return { line: doc.lineAt(Math.min(removed ? c.fromA : c.fromB, doc.length)).number, removed };
    },
    reveal(line) {
      const doc = view.state.doc;
      const pos = doc.line(Math.min(Math.max(1, line), doc.lines)).from;
      if (!visible(pos)) return false;
      scroll(pos);
      return true;
    },
    destroy() {
      clearTimeout(timer);
      destroy();
    },
  };
}
