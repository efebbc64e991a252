// What many views say.

import { english } from './figures';

const { number } = english;

export const general = {
  close: 'Close',
  cancel: 'Cancel',
  tryAgain: 'Try again',
  recordedModel: 'recorded model',
  builtinEngine: 'built-in engine',
  dismiss: 'Dismiss',
  copy: 'Copy the command',
  copied: 'Copied',
  noDiff: (why: string) => `The diff cannot be drawn: ${why}`,
  /** What a control does, with its key. */
  withKey: (text: string, keys: string) => `${text} (${keys})`,
  /** Said where the Go side gave no words. */
  wrong: 'Something went wrong, and nothing more is known.',
  unconnected: 'The page is not connected to Redgreen. Close this tab and start `redgreen` again.',
  noCall: (name: string) => `Redgreen has no call named ${name}; the page and the program are of different versions.`,
};

/** Keys as they are drawn; those that are not here are drawn as they are called. */
export const keys: Record<string, string> = { Ctrl: 'Ctrl', Enter: '↵', Shift: '⇧', Escape: 'Esc' };

/** Titles of errors by their code. */
export const errors = {
  invalid: 'That cannot be done',
  not_found: 'Not found',
  conflict: 'Nothing was written: something changed',
  denied: 'Not allowed',
  limit: 'A limit was reached',
  cancelled: 'Cancelled',
  unavailable: 'Not available here',
  internal: 'Something broke in Redgreen',
};

/** Figures with their units; the numbers come written. */
export const figure = {
  thousand: (x: string) => `${x}k`,
  million: (x: string) => `${x}M`,
  lessUsd: (x: string) => `< ${x}`,
  local: 'local',
  priceUnknown: 'price unknown',
  ms: (x: string) => `${x} ms`,
  s: (x: string) => `${x} s`,
  min: (x: string) => `${x} min`,
  minS: (min: string, s: string) => `${min} min ${s} s`,
  bytes: [(x: string) => `${x} B`, (x: string) => `${x} kB`, (x: string) => `${x} MB`, (x: string) => `${x} GB`, (x: string) => `${x} TB`],
  justNow: 'just now',
  minAgo: (n: number) => `${number(n)} min ago`,
  hAgo: (n: number) => `${number(n)} h ago`,
  yesterday: 'yesterday',
};
