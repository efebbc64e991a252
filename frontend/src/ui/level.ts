// Keeps the two sides of a diff level: unchanged lines that are drawn on both sides stand beside each other, by spacers on the side
// that is shorter up to there. The merge view has spacers of its own, which cannot promise that. It finds them when one side was
// measured and the other's heights are still guessed, and a line whose spacer goes is guessed anew, so that the sides can take turns
// at being wrong without end; and where their drawn parts begin in different unchanged runs, it passes over what was guessed above.
// Here both sides are measured first, every line that both have drawn is compared, and elsewhere spacers stay while they are about right.

import type { Chunk, MergeView } from '@codemirror/merge';
import { StateEffect, StateField, type Extension, type Range } from '@codemirror/state';
import { Decoration, EditorView, WidgetType, type DecorationSet } from '@codemirror/view';

/** How far apart peers may stand, in pixels: lines that are drawn, and places whose heights are guessed. */
const slack = { drawn: 0.5, guessed: 60 };

class Spacer extends WidgetType {
  constructor(
    readonly height: number,
    readonly gap: boolean, // the other side has lines here that have no peer; else lines only wrap differently
  ) {
    super();
  }
  override eq(o: Spacer): boolean {
    return this.height === o.height && this.gap === o.gap;
  }
  override get estimatedHeight(): number {
    return this.height;
  }
  override ignoreEvent(): boolean {
    return false;
  }
  override toDOM(): HTMLElement {
    const el = document.createElement('div');
    el.className = this.gap ? 'cm-mergeSpacer' : '';
    el.style.height = `${this.height}px`;
    return el;
  }
}

const setSpacers = StateEffect.define<DecorationSet>({ map: (set, changes) => set.map(changes) });

const spacers = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (set, tr) => tr.effects.reduce((now, e) => (e.is(setSpacers) ? e.value : now), set.map(tr.changes)),
  provide: (f) => EditorView.decorations.from(f),
});

/** A place is where the sides are to be level, by its positions; one beyond the last stands for the end of the text. */
interface Place {
  a: number;
  b: number;
  drawn: boolean;
  gap: boolean; // lines without a peer end here
}

/** A Side is gone through from its start to its end. */
class Side {
  private shift = 0; // how much higher its spacers are up to here than they were
  private changed = false;
  private readonly next: Range<Decoration>[] = [];
  private readonly was: { at: number; spacer: Spacer }[] = [];
  readonly tops: Map<number, number>; // of the drawn lines
  private readonly end: number;

  constructor(readonly view: EditorView) {
    this.end = view.state.doc.length + 1;
    this.tops = new Map(view.viewportLineBlocks.map((l) => [l.from, l.top]));
    for (let it = view.state.field(spacers).iter(); it.value; it.next()) this.was.push({ at: it.from + (it.value.spec.side > 0 ? 1 : 0), spacer: it.value.spec.widget as Spacer });
  }
  /** past goes over the spacers before a place; among drawn lines there is none but at places. */
  past(at: number, drop: (at: number) => boolean): void {
    for (let s = this.was[0]; s && s.at < at; s = this.was[0]) {
      this.was.shift();
      this.put(s.at, drop(s.at) ? null : s.spacer, s.spacer);
    }
  }
  /** own takes the spacer that was at a place. */
  own(at: number): Spacer | null {
    return this.was[0]?.at === at ? (this.was.shift()?.spacer ?? null) : null;
  }
  /** top is where a place begins, without its own spacer. */
  top(at: number, own: Spacer | null): number {
    if (at === this.end) return this.view.contentHeight - (own?.height ?? 0) + this.shift;
    return (this.tops.get(at) ?? this.view.lineBlockAt(at).top) + this.shift;
  }
  put(at: number, spacer: Spacer | null, instead: Spacer | null): void {
    if (spacer) this.next.push(Decoration.widget({ widget: spacer, block: true, side: at === this.end ? 1 : -20 }).range(Math.min(at, this.end - 1)));
    if (spacer === instead) return;
    this.changed = true;
    this.shift += (spacer?.height ?? 0) - (instead?.height ?? 0);
  }
  finish(): void {
    if (this.changed) this.view.dispatch({ effects: setSpacers.of(Decoration.set(this.next)) });
  }
}

/** places are where each unchanged run begins, and each of its lines that both sides have drawn. */
function places(a: Side, b: Side, chunks: readonly Chunk[]): Place[] {
  const [endA, endB] = [a.view.state.doc.length + 1, b.view.state.doc.length + 1];
  const drawn = [...a.tops.keys()];
  const out: Place[] = [];
  let [fromA, fromB, i] = [0, 0, 0];
  for (const c of [...chunks, null]) {
    const to = c ? c.fromA : endA;
    const has = (at: number) => a.tops.has(at) && b.tops.has(at - fromA + fromB);
    if (fromA < to) out.push({ a: fromA, b: fromB, drawn: has(fromA), gap: fromA + fromB > 0 });
    for (; (drawn[i] ?? to) < to; i++) {
      const at = drawn[i] ?? 0;
      if (at > fromA && has(at)) out.push({ a: at, b: at - fromA + fromB, drawn: true, gap: false });
    }
    if (c) [fromA, fromB] = [c.toA, c.toB];
  }
  const last = a.view.viewport.to >= endA - 1 && b.view.viewport.to >= endB - 1;
  return [...out, { a: endA, b: endB, drawn: last, gap: true }];
}

function level(view: MergeView): void {
  const [a, b] = [new Side(view.a), new Side(view.b)];
  const all = places(a, b, view.chunks);
  const [first, last] = [all.find((p) => p.drawn), all.findLast((p) => p.drawn)];
  const among = (side: 'a' | 'b') => (at: number) => !!first && !!last && at >= first[side] && at <= last[side];
  for (const p of all) {
    a.past(p.a, among('a'));
    b.past(p.b, among('b'));
    const [ownA, ownB] = [a.own(p.a), b.own(p.b)];
    const lower = a.top(p.a, ownA) - b.top(p.b, ownB);
    const good = Math.abs(lower + (ownA?.height ?? 0) - (ownB?.height ?? 0)) <= (p.drawn ? slack.drawn : slack.guessed);
    a.put(p.a, good ? ownA : lower < 0 ? new Spacer(-lower, p.gap) : null, ownA);
    b.put(p.b, good ? ownB : lower > 0 ? new Spacer(lower, p.gap) : null, ownB);
  }
  a.finish();
  b.finish();
}

/** leveller gives what each side of a merge view needs, and what keeps the view level from then on; that gives what stops it. */
export function leveller(): { side: Extension; keep(view: MergeView): () => void } {
  let view: MergeView | null = null;
  let asked = false;
  const now = () => {
    for (const v of view ? [view.a, view.b] : []) {
      v.requestMeasure();
      v.elementAtHeight(0); // which measures first
    }
    asked = false;
    if (view) level(view);
  };
  // Before anything is painted, and once for both sides.
  const ask = () => {
    if (asked || !view) return;
    asked = true;
    queueMicrotask(now);
  };
  const changed = EditorView.updateListener.of((u) => {
    const ours = u.transactions.some((tr) => tr.effects.some((e) => e.is(setSpacers)));
    if (ours) u.viewportChanged && requestAnimationFrame(ask); // a frame later: never in a circle
    else if (u.docChanged || u.heightChanged || u.viewportChanged) ask();
  });
  return {
    side: [spacers, changed],
    keep(v) {
      view = v;
      (v as unknown as { measure(): void }).measure = () => {}; // finds the merge view's own spacers
      requestAnimationFrame(ask);
      return () => (view = null);
    },
  };
}
