// What is streamed while a reply is being written. It is lossy by design: the reply that follows is the truth.

import type { Pushed } from '../api/types';

export interface Live {
  step: number;
  text: string;
  thinking: string;
}

export const quiet: Live = { step: 0, text: '', thinking: '' };

/** Only the end of a long stream is kept: it is shown in a few lines. */
const kept = 8_000;

/** stream adds deltas; those of an older step are passed over, a reset throws away what the step streamed so far. */
export function stream(live: Live, deltas: Pushed['deltas']): Live {
  return deltas.reduce((l, d) => {
    if (d.step < l.step) return l;
    const from = d.step > l.step || d.reset ? { step: d.step, text: '', thinking: '' } : l;
    return {
      step: d.step,
      text: (from.text + (d.text ?? '')).slice(-kept),
      thinking: (from.thinking + (d.thinking ?? '')).slice(-kept),
    };
  }, live);
}

/** settle ends the stream of a step whose reply has arrived. */
export function settle(live: Live, repliedStep: number): Live {
  return live.step <= repliedStep ? { step: repliedStep, text: '', thinking: '' } : live;
}
