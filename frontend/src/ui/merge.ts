// A diff of two whole texts in the editor component, side by side or unified.

import { MergeView, getChunks, unifiedMergeView, type Chunk } from '@codemirror/merge';
import { ensureSyntaxTree, forceParsing } from '@codemirror/language';
import { Text, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { diffConfig, type DiffHunk } from './changes';
import { flash, reading, writing } from './editor';
import { hunkBars, setHunks, type HunkActs, type HunkView } from './hunkbar';
import { leveller } from './level';
import { margin, type Mark } from './margin';
import { changedParts } from './parts';
import { t } from '../texts';

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
  hunks?: readonly DiffHunk[]; // the changed places, where the two texts are those of a patch
  blanks?: boolean; // pass over what changes blanks only
  bars?: { hunks: readonly HunkView[]; acts: HunkActs };
  onedit?: (text: string) => void; // makes the new text editable
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
  /** setHunks shows what was decided on the hunks. */
  setHunks(hunks: readonly HunkView[]): void;
  /** focus puts the cursor on a line of the new text. */
  focus(line: number): void;
  destroy(): void;
}

/** merge builds the view. A file that is added or deleted has one side only and is always shown unified. */
export function merge(o: MergeOptions): Merged {
  const oneSided = o.before === null || o.after === null;
  return o.unified || oneSided ? unified(o) : sideBySide(o);
}

/** newSide is the side of the new text: read, or edited in place. */
function newSide(o: MergeOptions, label: string): Extension[] {
  const { onedit } = o;
  const base = onedit
    ? [writing(label, o.language), EditorView.updateListener.of((u) => u.docChanged && onedit(u.state.doc.toString()))]
    : [reading(label, o.language)];
  return [...base, margin(o.marks ?? []), changedParts];
}

const config = (o: MergeOptions) => diffConfig(o.before ?? '', o.after ?? '', o.hunks ?? [], !!o.blanks);

function sideBySide(o: MergeOptions): Merged {
  const bars = (side: 'a' | 'b') => (o.bars ? hunkBars(o.bars.hunks, side, o.bars.acts) : []);
  const { side, keep } = leveller();
  const view = new MergeView({
    a: { doc: o.before ?? '', extensions: [reading(t.diff.before(o.path), o.language), changedParts, bars('a'), side] },
    b: { doc: o.after ?? '', extensions: [newSide(o, t.diff.after(o.path)), bars('b'), side] },
    parent: o.parent,
    gutter: false,
    highlightChanges: false,
    collapseUnchanged: o.whole ? undefined : collapse,
    diffConfig: config(o),
  });
  const stop = [keep(view), colour([view.a, view.b])];
  return control([view.b, view.a], view.a.state.doc, () => view.chunks, o.whole, () => {
    stop.forEach((s) => s());
    view.destroy();
  });
}

function unified(o: MergeOptions): Merged {
  const view = new EditorView({
    doc: o.after ?? '',
    parent: o.parent,
    extensions: [
      newSide(o, t.diff.changes(o.path)),
      o.bars ? hunkBars(o.bars.hunks, 'both', o.bars.acts) : [],
      EditorView.editorAttributes.of({ class: 'cm-merge-b' }),
      unifiedMergeView({
        original: o.before ?? '',
        gutter: false,
        mergeControls: false,
        collapseUnchanged: o.whole ? undefined : collapse,
        diffConfig: config(o),
      }),
    ],
  });
  const stop = colour([view]);
  return control([view], Text.of((o.before ?? '').split('\n')), () => getChunks(view.state)?.chunks ?? [], o.whole, () => {
    stop();
    view.destroy();
  });
}

/** colour parses what is likely to be seen first, so that the text does not change its colours under the reader's eyes, and the
 * rest of it a little in each frame: the editor component by itself takes 25 ms at a time, also while the text is scrolled. */
function colour(views: EditorView[]): () => void {
  for (const v of views) forceParsing(v, Math.min(v.state.doc.length, 60_000), 40);
  let rest = views;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const some = () => {
    const [v, ...others] = rest;
    if (!v) return;
    rest = ensureSyntaxTree(v.state, v.state.doc.length, 4) ? others : [...others, v];
    timer = setTimeout(some, 16);
  };
  some();
  return () => clearTimeout(timer);
}

/** control is the handle on a diff; of the views the first has the new text. */
function control(views: [EditorView, ...EditorView[]], before: Text, chunks: () => readonly Chunk[], whole: boolean, destroy: () => void): Merged {
  const view = views[0];
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
    setHunks(hunks) {
      for (const v of views) v.dispatch({ effects: setHunks.of(hunks) });
    },
    focus(line) {
      const at = view.state.doc.line(Math.min(Math.max(1, line), view.state.doc.lines));
      view.dispatch({ selection: { anchor: at.to }, effects: EditorView.scrollIntoView(at.from, { y: 'center' }) });
      view.focus();
    },
    destroy() {
      clearTimeout(timer);
      destroy();
    },
  };
}
