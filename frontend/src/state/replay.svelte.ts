// A saved session that plays again in the window: a moving place in its events, at a speed, without a model and without a run.

import type { AppError, Backend, Diff, Event, SessionInfo } from '../api';
import { Past } from './past';
import { ReviewState } from './review.svelte';
import { outcomeOf, type SessionView } from './session';

export const speeds = ['1', '4', '16', 'max'] as const;
export type Speed = (typeof speeds)[number];

/** At the highest speed a session plays in so many ms, however long it took. */
const shortest = 3_000;

/** The least time between two pictures, in ms, for a person who wants little motion. */
const calm = 500;

/** Clock is what a replay needs of the page, so that a test can turn it. */
export interface Clock {
  now(): number;
  frame(f: () => void): number;
  cancel(id: number): void;
  calm(): boolean; // the person wants little motion
}

const page: Clock = {
  now: () => performance.now(),
  frame: (f) => requestAnimationFrame(f),
  cancel: (id) => cancelAnimationFrame(id),
  calm: () => globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches ?? false,
};

export class Replay {
  readonly past: Past;
  readonly review: ReviewState; // of no patch, and not kept: nothing is decided here
  view: SessionView = $state.raw() as SessionView;
  diff: Diff | null = $state.raw(null);
  error: AppError | null = $state.raw(null); // the patch of a moment could not be fetched
  at = $state(0); // how many events have played
  playing = $state(false);
  speed: Speed = $state('4');

  readonly #id: string;
  readonly #backend: Backend;
  readonly #clock: Clock;
  readonly #diffs = new Map<string, Diff>();
  #moment = 0; // ms of play
  #last = 0; // when the clock was last asked
  #drawn = 0; // when the place last moved by itself
  #frame = 0;

  constructor(backend: Backend, id: string, events: readonly Event[], clock: Clock = page) {
    this.#backend = backend;
    this.#id = id;
    this.#clock = clock;
    this.past = new Past(id, events);
    this.review = new ReviewState(null, id);
    this.seek(1);
  }

  get count(): number {
    return this.past.events.length;
  }

  /** moment is where the play is, in ms. */
  get moment(): number {
    return this.past.moments[this.at - 1] ?? 0;
  }

  /** seek shows the session after its first n events. */
  seek(n: number): void {
    this.#show(Math.max(1, Math.min(n, this.count)));
    this.#moment = this.moment;
  }

  play(): void {
    if (this.playing) return;
    if (this.at >= this.count) this.seek(1); // once more
    this.playing = true;
    this.#last = this.#drawn = this.#clock.now();
    this.#frame = this.#clock.frame(this.#tick);
  }

  pause(): void {
    this.playing = false;
    this.#clock.cancel(this.#frame);
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  close(): void {
    this.pause();
  }

  /** info is what may be done at a moment that is past: nothing. */
  info(i: SessionInfo): SessionInfo {
    const v = this.view;
    return {
      ...i, live: false, paused: false, owner: null, can_approve: false, can_undo: false, can_resume: false, stale: null,
      applied: !!v.written && !v.written.undone, outcome: outcomeOf(v), scrutiny: v.scrutiny,
    };
  }

  #tick = (): void => {
    if (!this.playing) return;
    const now = this.#clock.now();
    const by = this.speed === 'max' ? Math.max(64, this.past.length / shortest) : Number(this.speed);
    this.#moment += (now - this.#last) * by;
    this.#last = now;
    if (!this.#clock.calm() || now - this.#drawn >= calm) {
      this.#drawn = now;
      this.#show(Math.max(1, this.past.until(this.#moment)));
    }
    if (this.at >= this.count) this.playing = false;
    else this.#frame = this.#clock.frame(this.#tick);
  };

  #show(n: number): void {
    if (n === this.at) return;
    this.at = n;
    this.view = this.past.after(n);
    void this.#loadDiff();
  }

  async #loadDiff(): Promise<void> {
    const hash = this.view.patch?.hash ?? '';
    if (hash === (this.diff?.hash ?? '')) return;
    const known = this.#diffs.get(hash);
    if (!hash || known) {
      this.diff = known ?? null;
      return;
    }
    try {
      const got = await this.#backend.diffAt(this.#id, this.view.seq);
      this.#diffs.set(got.hash, got);
      this.error = null;
      if (got.hash === this.view.patch?.hash) this.diff = got;
    } catch (e) {
      this.error = e as AppError;
    }
  }
}
