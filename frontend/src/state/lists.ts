import type { List } from '../api/types';

/** list reads a list that may be null (a nil slice of Go). */
export function list<T>(x: List<T>): T[] {
  return x ?? [];
}

/** replaceLast gives a copy of xs whose last item that fits is changed; xs itself when none fits. */
export function replaceLast<T>(xs: readonly T[], fits: (x: T) => boolean, change: (x: T) => T): T[] {
  for (let i = xs.length - 1; i >= 0; i--) {
    const x = xs[i] as T;
    if (!fits(x)) continue;
    const copy = xs.slice();
    copy[i] = change(x);
    return copy;
  }
  return xs as T[];
}
