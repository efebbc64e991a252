// What follows from the hunks of a patch alone.

import type { Hunk } from './types';

/** without is the text after a change of which some hunks are left out. */
export function without(before: string, hunks: readonly Hunk[], dropped: (hunk: number) => boolean): string {
  const lines = before.split(/(?<=\n)/);
  const out: string[] = [];
  let next = 0;
  hunks.forEach((h, i) => {
    const from = h.old_lines ? h.old_start - 1 : h.old_start;
    out.push(...lines.slice(next, from));
    out.push(...(h.lines ?? []).filter((l) => l.op !== (dropped(i) ? '+' : '-')).map((l) => l.text));
    next = from + h.old_lines;
  });
  return out.concat(lines.slice(next)).join('');
}
