// A session as it was after any of its events: the same fold as ever, over the first of them. Pure: no clock, no calls.

import type { Event } from '../api/types';
import { empty, reduceAll, type SessionView } from './session';

/** A pause between two events that is longer plays as this, in ms: a person may have slept between them. The terminal does the same. */
export const pauseMost = 5_000;

/** A state is kept for each so many events, so that going back folds few of them. */
const stride = 100;

export class Past {
  readonly events: readonly Event[];
  /** moments are when each event plays, in ms since the first. */
  readonly moments: readonly number[];
  readonly #kept: SessionView[];

  constructor(id: string, events: readonly Event[]) {
    this.events = events;
    this.#kept = [empty(id)];
    let at = 0;
    let last = NaN;
    this.moments = events.map((e) => {
      const time = Date.parse(e.time);
      if (time > last) at += Math.min(time - last, pauseMost);
      if (!Number.isNaN(time)) last = time;
      return at;
    });
  }

  /** length is how long it plays, in ms. */
  get length(): number {
    return this.moments[this.moments.length - 1] ?? 0;
  }

  /** after is the session after the first n events. */
  after(n: number): SessionView {
    const to = Math.max(0, Math.min(n, this.events.length));
    for (let k = this.#kept.length; k * stride <= to; k++) {
      this.#kept[k] = reduceAll(this.#kept[k - 1] as SessionView, this.events.slice((k - 1) * stride, k * stride));
    }
    const k = Math.floor(to / stride);
    return reduceAll(this.#kept[k] as SessionView, this.events.slice(k * stride, to));
  }

  /** until is how many events have played at a moment. */
  until(moment: number): number {
    let [low, high] = [0, this.moments.length];
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((this.moments[mid] ?? 0) <= moment) low = mid + 1;
      else high = mid;
    }
    return low;
  }

  /** through is how many events there are up to the one before a number: an act is shown whole, up to where the next begins. */
  through(seq: number): number {
    const i = this.events.findIndex((e) => e.seq >= seq);
    return i < 0 ? this.events.length : i;
  }
}
