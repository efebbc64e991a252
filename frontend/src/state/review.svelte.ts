// The review of the patch that is shown: kept by the Go side, so that it is there after a restart.

import type { Backend, Diff, Review } from '../api';
import { fresh, kept, taken } from './choice';
import { list } from './lists';

/** How long after the last change a review is stored, in ms. */
const settle = 400;

export class ReviewState {
  now: Review = $state.raw(fresh(''));
  readonly #backend: Backend | null; // null: nothing of it is kept
  readonly #id: string;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Backend | null, id: string) {
    this.#backend = backend;
    this.#id = id;
  }

  /** use begins with what is kept of a patch. */
  async use(hash: string): Promise<void> {
    if (hash === this.now.patch_hash) return;
    this.now = fresh(hash);
    try {
      const stored = await this.#backend?.review(this.#id);
      if (stored && this.now.patch_hash === hash) this.now = kept(stored, hash);
    } catch {
      // It begins anew.
    }
  }

  set(to: Review): void {
    this.now = to;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), settle);
  }

  /** answered takes the comments off a patch once the model has them: it may come back as it was. */
  answered(hash: string): void {
    if (this.now.patch_hash === hash && list(this.now.notes).length > 0) this.set({ ...this.now, notes: [] });
  }

  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#backend?.saveReview(this.#id, this.now).catch(() => undefined);
  }

  /** close stores what is not stored yet. */
  close(): void {
    if (this.#timer) this.save();
  }

  taken(diff: Diff | null) {
    return taken(this.now, diff);
  }
}
