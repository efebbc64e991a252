// What is drawn over the steps of a run. A value that is not known is a gap, never a zero.

import type { Item, SessionView, StepItem } from './session';

export interface Series {
  id: 'cost' | 'context' | 'time';
  steps: number[];
  values: (number | null)[];
  total: boolean; // values add up from step to step
}

const isStep = (i: Item): i is StepItem => i.type === 'step' && i.replied;

/** plots gives the series of a run that say something: the cost so far, the context of each request, the time of each step. */
export function plots(v: SessionView): Series[] {
  const steps = v.items.filter(isStep);
  const at = steps.map((_, i) => i + 1);
  let sum = 0;
  let whole = true; // every step so far has a price
  const cost = steps.map((s) => {
    whole &&= s.priced;
    sum += s.microUsd;
    return whole ? sum / 1e6 : null;
  });
  const context = steps.map((s) => (s.usage?.known ? s.usage.input + (s.usage.cache_read ?? 0) + (s.usage.cache_write ?? 0) + (s.usage.cache_write_1h ?? 0) : null));
  const time = steps.map((s) => (s.ms + s.calls.reduce((n, c) => n + (c.result?.ms ?? 0), 0)) / 1000);
  const all: Series[] = [
    { id: 'cost', steps: at, values: cost, total: true },
    { id: 'context', steps: at, values: context, total: false },
    { id: 'time', steps: at, values: time, total: false },
  ];
  return all.filter((s) => s.values.some((x) => x !== null && x > 0));
}
