// The acts of a trace that a person looks for: what failed, what was changed, what was asked.

import type { Item } from './session';

export type Sought = 'failure' | 'change' | 'question';

const is: Record<Sought, (i: Item) => boolean> = {
  failure(i) {
    if (i.type === 'step') return i.retries.length > 0 || i.calls.some((c) => c.result && (!c.result.ok || (c.result.run?.failed ?? 0) > 0));
    if (i.type === 'baseline') return (i.run?.failed ?? 0) > 0;
    return i.type === 'failed' || i.type === 'limit' || (i.type === 'proof' && i.state !== '' && i.state !== 'proven');
  },
  change: (i) => (i.type === 'step' && i.change !== null) || i.type === 'write',
  question: (i) => i.type === 'question',
};

/** nextOf is the first of its kind behind an event, else the first of all; null where there is none. */
export function nextOf(items: readonly Item[], what: Sought, behind: number): Item | null {
  const all = items.filter(is[what]);
  return all.find((i) => i.seq > behind) ?? all[0] ?? null;
}
