// Code that was moved, not written: the same lines are taken away at one place of a patch and put in at another.

import type { DiffFile, Hunk } from '../api/types';
import { list } from './lists';
import { t } from '../texts';

/** Fewer lines, or lines that say less, are alike by chance. */
const fewest = 3;
const letters = 40;

interface Block {
  path: string;
  hunk: number;
  line: number; // of its own side, from 1
  text: string;
  added: boolean;
}

function blocks(path: string, hunk: number, h: Hunk): Block[] {
  const out: { op: string; line: number; lines: string[] }[] = [];
  let [old, now] = [h.old_start, h.new_start];
  let last = '';
  for (const l of list(h.lines)) {
    if (l.op !== ' ') {
      if (l.op !== last) out.push({ op: l.op, line: l.op === '-' ? old : now, lines: [] });
      out[out.length - 1]?.lines.push(l.text.trim());
    }
    last = l.op;
    if (l.op !== '+') old++;
    if (l.op !== '-') now++;
  }
  return out.map((b) => {
    const lines = b.lines.filter(Boolean);
    const text = lines.join('\n');
    return { path, hunk, line: b.line, added: b.op === '+', text: lines.length >= fewest && text.length >= letters ? text : '' };
  }).filter((b) => b.text !== '');
}

/** moved says of a hunk where its lines came from, or went; the key is path#hunk. */
export function moved(files: readonly DiffFile[]): Map<string, string> {
  const all = files.flatMap((f) => list(f.hunks).flatMap((h, i) => blocks(f.path, i, h)));
  const out = new Map<string, string>();
  for (const a of all.filter((b) => b.added)) {
    const from = all.find((b) => !b.added && (b.text === a.text || b.text.includes(a.text) || a.text.includes(b.text)) && (b.path !== a.path || b.hunk !== a.hunk));
    if (!from) continue;
    out.set(`${a.path}#${a.hunk}`, t.diff.movedFrom(`${from.path}:${from.line}`));
    out.set(`${from.path}#${from.hunk}`, t.diff.movedTo(`${a.path}:${a.line}`));
  }
  return out;
}
