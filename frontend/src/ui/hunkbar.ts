// The bar above each hunk: take it or leave it out, say something about it, edit it. In a side-by-side view the left half
// holds the tick and the right half the acts; both are of one height, so that the lines stay beside each other.

import { StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { t } from '../texts';

export interface HunkView {
  hunk: number;
  oldLine: number; // first lines of the two sides, from 1
  newLine: number;
  changed: { old: number[]; now: number[] }; // lines that it changes
  label: string;
  hint: string; // such as where the code was moved from
  dropped: boolean;
  note: string | null; // null: none is being written
}

export interface HunkActs {
  toggle(hunk: number): void;
  note(hunk: number, text: string | null): void;
  edit(hunk: number): void;
  keys: { toggle: string; note: string; edit: string };
}

type Side = 'a' | 'b' | 'both';

export const setHunks = StateEffect.define<readonly HunkView[]>();

const heights = { bar: 30, note: 38 };

function button(text: string, key: string, act: () => void, testid: string): HTMLElement {
  const el = document.createElement('button');
  el.type = 'button';
  el.textContent = text;
  el.title = t.general.withKey(text, key);
  el.dataset.testid = testid;
  el.addEventListener('click', act);
  return el;
}

class Bar extends WidgetType {
  constructor(
    readonly v: HunkView,
    readonly side: Side,
    readonly acts: HunkActs,
  ) {
    super();
  }
  override eq(o: Bar): boolean {
    const [x, y] = [this.v, o.v];
    return x.hunk === y.hunk && x.label === y.label && x.hint === y.hint && x.dropped === y.dropped && (x.note === null) === (y.note === null) && this.side === o.side;
  }
  override get estimatedHeight(): number {
    return heights.bar + (this.v.note === null ? 0 : heights.note);
  }
  override ignoreEvent(): boolean {
    return true;
  }
  override toDOM(): HTMLElement {
    const el = document.createElement('div');
    el.className = `cm-hunk${this.v.dropped ? ' cm-hunk-out' : ''}`;
    el.style.height = `${this.estimatedHeight}px`;
    const row = el.appendChild(document.createElement('div'));
    row.className = 'cm-hunk-row';
    if (this.side !== 'b') this.head(row);
    if (this.side !== 'a') this.tail(row);
    if (this.v.note !== null && this.side !== 'a') el.append(this.note(this.v.note));
    return el;
  }
  private head(row: HTMLElement): void {
    const label = row.appendChild(document.createElement('label'));
    const tick = label.appendChild(document.createElement('input'));
    tick.type = 'checkbox';
    tick.checked = !this.v.dropped;
    tick.title = t.general.withKey(t.diff.takeOrLeave, this.acts.keys.toggle);
    tick.dataset.testid = 'hunk-tick';
    tick.addEventListener('change', () => this.acts.toggle(this.v.hunk));
    label.append(this.v.dropped ? t.diff.hunkOut(this.v.label) : this.v.label);
    if (!this.v.hint) return;
    const hint = row.appendChild(document.createElement('span'));
    hint.className = 'cm-hunk-hint';
    hint.textContent = hint.title = this.v.hint;
  }
  private tail(row: HTMLElement): void {
    const { hunk, note, dropped } = this.v;
    const push = row.appendChild(document.createElement('span'));
    push.className = 'cm-hunk-push';
    row.append(
      button(t.diff.comment, this.acts.keys.note, () => this.acts.note(hunk, note ?? ''), 'hunk-comment'),
      button(t.diff.edit, this.acts.keys.edit, () => this.acts.edit(hunk), 'hunk-edit'),
      button(dropped ? t.diff.takeIt : t.diff.leave, this.acts.keys.toggle, () => this.acts.toggle(hunk), 'hunk-drop'),
    );
  }
  private note(text: string): HTMLElement {
    const box = document.createElement('input');
    box.type = 'text';
    box.className = 'field';
    box.value = text;
    box.placeholder = t.diff.noteHint;
    box.setAttribute('aria-label', t.diff.noteOn(this.v.label));
    box.dataset.testid = 'hunk-note';
    box.addEventListener('input', () => this.acts.note(this.v.hunk, box.value));
    // Later: a field that is taken out of the page loses the focus in the middle of the change.
    box.addEventListener('blur', () => setTimeout(() => box.value.trim() === '' && this.acts.note(this.v.hunk, null)));
    box.addEventListener('keydown', (e) => e.key === 'Enter' && box.blur());
    if (text === '') requestAnimationFrame(() => box.focus());
    return box;
  }
}

const out = Decoration.line({ class: 'cm-left-out' });

function build(doc: { lines: number; line(n: number): { from: number } }, hunks: readonly HunkView[], side: Side, acts: HunkActs): DecorationSet {
  const onA = side === 'a';
  const at = (line: number) => doc.line(Math.min(Math.max(1, line), doc.lines)).from;
  return Decoration.set(
    hunks.flatMap((h) => {
      const bar = Decoration.widget({ widget: new Bar(h, side, acts), block: true, side: -10 }).range(at(onA ? h.oldLine : h.newLine));
      const faded = h.dropped ? (onA ? h.changed.old : h.changed.now).filter((n) => n >= 1 && n <= doc.lines).map((n) => out.range(at(n))) : [];
      return [bar, ...faded];
    }),
    true,
  );
}

/** fadeRemoved fades what a left-out hunk removes in a unified view: there the removed lines are widgets of the merge view, which
 * take no decoration. */
function fadeRemoved(first: readonly HunkView[]): Extension {
  return ViewPlugin.fromClass(
    class {
      hunks = first;
      constructor(view: EditorView) {
        this.mark(view);
      }
      update(u: ViewUpdate) {
        for (const tr of u.transactions) for (const e of tr.effects) if (e.is(setHunks)) this.hunks = e.value;
        this.mark(u.view);
      }
      mark(view: EditorView) {
        view.requestMeasure({
          key: this,
          read: () => [...view.contentDOM.querySelectorAll('.cm-deletedChunk')].map((el) => ({ el, line: view.state.doc.lineAt(view.posAtDOM(el)).number })),
          write: (all) => all.forEach(({ el, line }) => el.classList.toggle('cm-left-out', !!this.hunks.findLast((h) => h.newLine <= Math.max(1, line))?.dropped)),
        });
      }
    },
  );
}

/** hunkBars shows the bars of one side; new ones come by the effect setHunks. */
export function hunkBars(hunks: readonly HunkView[], side: Side, acts: HunkActs): Extension {
  const bars = StateField.define<DecorationSet>({
    create: (s) => build(s.doc, hunks, side, acts),
    update(deco, tr) {
      for (const e of tr.effects) if (e.is(setHunks)) return build(tr.state.doc, e.value, side, acts);
      return deco.map(tr.changes);
    },
    provide: (f) => EditorView.decorations.from(f),
  });
  return side === 'both' ? [bars, fadeRemoved(hunks)] : bars;
}
