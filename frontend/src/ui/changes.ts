// The changed places of a diff as the patch has them, so that the editor shows the hunks that the person decides on, and does
// not have to find them anew in a long file. Only what changed within a run of lines is found here.

import { Change, Chunk, presentableDiff } from '@codemirror/merge';
import { Text } from '@codemirror/state';

export interface DiffLine {
  op: ' ' | '-' | '+';
  text: string;
}

/** DiffHunk is a run of changed lines with its context; starts count from 1. */
export interface DiffHunk {
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
  section?: string;
  lines: DiffLine[] | null | undefined;
}

/** Beyond these, in characters and ms for one run of lines, the whole run counts as changed. */
const within = { scanLimit: 5_000, timeout: 40 };
const whole = { scanLimit: 100_000, timeout: 500 };

const starts = (text: string): number[] => {
  const out = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) out.push(i + 1);
  return out;
};

const bare = (lines: string[]) => lines.map((l) => l.replace(/\s+/g, ''));

interface RunOfLines {
  old: number; // first line, from 1
  now: number;
  removed: string[];
  added: string[];
}

/** runs cuts hunks into stretches without context. */
export function runs(hunks: readonly DiffHunk[]): RunOfLines[] {
  const out: RunOfLines[] = [];
  for (const h of hunks) {
    let [old, now] = [h.old_lines ? h.old_start : h.old_start + 1, h.new_lines ? h.new_start : h.new_start + 1];
    let open: RunOfLines | null = null;
    for (const l of h.lines ?? []) {
      if (l.op === ' ') {
        open = null;
        old++;
        now++;
        continue;
      }
      if (!open) out.push((open = { old, now, removed: [], added: [] }));
      if (l.op === '-') old = old + (open.removed.push(l.text), 1);
      else now = now + (open.added.push(l.text), 1);
    }
  }
  return out;
}

/** onlyBlanks reports a run that changes nothing but blanks within its lines. */
export function onlyBlanks(r: RunOfLines): boolean {
  return r.removed.length === r.added.length && bare(r.removed).join('\n') === bare(r.added).join('\n');
}

function changesOf(a: string, b: string, hunks: readonly DiffHunk[], blanks: boolean): Change[] {
  const [inA, inB] = [starts(a), starts(b)];
  const at = (of: number[], line: number, length: number) => of[line - 1] ?? length;
  return runs(hunks).flatMap((r) => {
    if (blanks && onlyBlanks(r)) return [];
    const [fromA, toA] = [at(inA, r.old, a.length), at(inA, r.old + r.removed.length, a.length)];
    const [fromB, toB] = [at(inB, r.now, b.length), at(inB, r.now + r.added.length, b.length)];
    if (fromA === toA || fromB === toB) return [new Change(fromA, toA, fromB, toB)];
    const inner = presentableDiff(a.slice(fromA, toA), b.slice(fromB, toB), within);
    return inner.length > 0 ? inner.map((c) => new Change(c.fromA + fromA, c.toA + fromA, c.fromB + fromB, c.toB + fromB)) : [new Change(fromA, toA, fromB, toB)];
  });
}

/** sound says whether the editor makes of the changes what the hunks say: it moves some changes of blank lines. */
function sound(a: string, b: string, changes: readonly Change[]): boolean {
  let [lastA, lastB] = [0, 0];
  for (const c of Chunk.build(Text.of(a.split('\n')), Text.of(b.split('\n')), { override: () => changes.slice() })) {
    if (c.fromA > c.toA || c.fromB > c.toB || c.fromA < lastA || c.fromB < lastB) return false;
    [lastA, lastB] = [c.toA, c.toB];
  }
  return true;
}

/** diffConfig gives the editor's way to compare two texts: the hunks where they are these texts' own, else its own search. */
export function diffConfig(before: string, after: string, hunks: readonly DiffHunk[], blanks: boolean) {
  const [a, b] = [before.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n')];
  const known = changesOf(a, b, hunks, blanks);
  if ((known.length === 0 && !blanks) || !sound(a, b, known)) return whole;
  const override = (x: string, y: string) => (x === a && y === b ? known.slice() : presentableDiff(x, y, whole));
  return { ...whole, override };
}
