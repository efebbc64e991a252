// Putting a test, an output or a file into a message, as a block that nobody takes for the person's own words.

import type { Run, Test } from '../api/types';
import { t } from '../texts';
import { list } from './lists';
import { isRed } from './proof';
import type { Item } from './session';

// A model reads all of a message, and pays for it: of a long text the beginning and, since logs end with what went wrong, more
// of the end.
const head = 2_000;
const tail = 14_000;

/** mostQuoted is how many files are quoted at once: each takes its part of what the model reads. */
export const mostQuoted = 10;

/** block is a text in a fence that no line of it closes, with a name before it where it has one. */
export function block(body: string, name = ''): string {
  let text = body.replace(/\r\n?/g, '\n').replace(/^\n+|\s+$/g, '');
  if (text.length > head + tail + 200) {
    text = `${text.slice(0, head)}\n${t.quote.cut(text.length - head - tail)}\n${text.slice(-tail)}`;
  }
  const ticks = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((m) => m[0].length));
  const fence = '`'.repeat(ticks + 1);
  return `${name ? `${name}:\n` : ''}${fence}\n${text}\n${fence}\n`;
}

/** spaced is a block with the empty lines that it needs between before and after. */
export function spaced(before: string, quoted: string, after: string): string {
  const above = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  return above + quoted + (after === '' || after.startsWith('\n') ? '' : '\n');
}

/** testText is how a test is quoted: its name, and what it said. */
export function testText(x: Test): string {
  return `${x.id} ${t.tests.status[x.status]}${x.message ? `\n${x.message}` : ''}`;
}

/** firstRed is the first red test of the latest run that has one. */
export function firstRed(items: readonly Item[]): Test | null {
  for (let i = items.length - 1; i >= 0; i--) {
    for (const run of runsOf(items[i] as Item)) {
      const red = list(run.tests).find(isRed);
      if (red) return red;
    }
  }
  return null;
}

function runsOf(i: Item): Run[] {
  const runs = i.type === 'step' ? i.calls.map((c) => c.result?.run).reverse() : i.type === 'proof' || i.type === 'baseline' ? [i.run] : [];
  return runs.filter((r) => !!r);
}

/** textOf reads a file as text; null of one that is none. It throws where the file cannot be read. */
export async function textOf(file: File): Promise<string | null> {
  if (file.size > 8 << 20) return null;
  const data = await file.arrayBuffer();
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(data);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** blocks cuts a message at its fences, to be drawn. */
export function blocks(text: string): { code: boolean; text: string }[] {
  const out: { code: boolean; text: string }[] = [];
  const fenced = /^(`{3,})[^`\n]*\n([\s\S]*?)\n?^\1[ \t]*$\n?/gm;
  let from = 0;
  for (const m of text.matchAll(fenced)) {
    if (m.index > from) out.push({ code: false, text: text.slice(from, m.index) });
    out.push({ code: true, text: m[2] ?? '' });
    from = m.index + m[0].length;
  }
  if (from < text.length) out.push({ code: false, text: text.slice(from) });
  return out;
}
