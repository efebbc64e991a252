// Naming a file or symbol in a message: "@" and a few letters. Pure.

import type { Mention } from '../api/types';

/** asked is the word after an @ that the cursor stands behind; null where none is being written. */
export function asked(text: string, cursor: number): { from: number; word: string } | null {
  const m = /(?:^|[\s(])@([\w./:-]{0,80})$/.exec(text.slice(0, cursor));
  return m ? { from: cursor - (m[1] ?? '').length - 1, word: m[1] ?? '' } : null;
}

/** said is how a message names it: what the search and the model can find again. */
export function said(m: Mention): string {
  return m.kind === 'file' ? `\`${m.path}\`` : `\`${m.name}\` (${m.path}:${m.line})`;
}

/** put sets a mention in place of what was written of it, and tells where the cursor goes. */
export function put(text: string, from: number, cursor: number, m: Mention): { text: string; cursor: number } {
  const words = said(m);
  const after = text.slice(cursor);
  const gap = /^\s/.test(after) ? '' : ' ';
  return { text: text.slice(0, from) + words + gap + after, cursor: from + words.length + 1 };
}
