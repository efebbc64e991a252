// Two sides of a diff that scroll as one. The editor component draws what comes into sight every few hundred pixels, both sides in the
// same frame, and evens out their heights after each of them, when the other's are still guessed, so that it takes much of that back.
// Here the second side is drawn a frame after the first, and the heights are evened out after it. All of this is beyond the edge of
// what is seen. It reaches into the two components: what is missing there is left as it is.

import type { MergeView } from '@codemirror/merge';
import type { EditorView } from '@codemirror/view';

interface Viewport {
  from: number;
  to: number;
}
interface Inner {
  viewport: Viewport;
  getViewport(bias: number, target: unknown): Viewport;
  viewportIsAppropriate(viewport: Viewport, bias?: number): boolean;
}

/** Pixels: how much more is drawn ahead than behind, and what is left of it when more is drawn, or when it is high time. */
const ahead = { more: 500, left: 250, least: 60 };

const inner = (v: EditorView) => (v as unknown as { viewState: Inner }).viewState;
const towards = (bias: number, px: number) => Math.sign(bias) * Math.max(Math.abs(bias), px);

/** inTurn makes the two sides of a view draw in turn; it gives what stops it. */
export function inTurn(view: MergeView): () => void {
  const [a, b] = [inner(view.a), inner(view.b)];
  const whole = view as unknown as { measure(): void };
  const even = whole.measure.bind(view);
  let drawn = false; // the first side, in this frame
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;

  for (const side of [a, b]) {
    const [get, fits] = [side.getViewport.bind(side), side.viewportIsAppropriate.bind(side)];
    side.getViewport = (bias, target) => {
      if (side === a) {
        drawn = true;
        clearTimeout(timer);
        timer = setTimeout(() => (drawn = false));
      }
      return get(towards(bias, ahead.more), target);
    };
    side.viewportIsAppropriate = (viewport, bias = 0) => {
      if (fits(viewport, towards(bias, ahead.left))) return true;
      if (side === a || !drawn || bias === 0 || !fits(viewport, towards(bias, ahead.least))) return false;
      view.b.requestMeasure();
      return true;
    };
  }
  // The first time is in the frame that the view has asked for.
  frame = requestAnimationFrame(() => {
    frame = 0;
    whole.measure = () => {
      frame ||= requestAnimationFrame(() => {
        frame = requestAnimationFrame(() => {
          frame = 0;
          even();
          clearTimeout(rest);
          rest = setTimeout(even, 120); // what was evened out brought lines into sight whose heights had been guessed
        });
      });
    };
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    clearTimeout(rest);
  };
}
