// The certificate in sentences with marks. What is not covered is said in the same breath as what is.

import type { Certificate, Flag, Hunk, ProofState, Run, Test } from '../api/types';
import { count } from './format';
import { list } from './lists';

export type Mark = 'turned' | 'good' | 'bad' | 'warn' | 'plain';

export interface Row {
  mark: Mark;
  text: string;
  code?: boolean; // a test id: monospaced
  flag?: Flag; // leads to its line
}

export const states: Record<ProofState, { word: string; text: string }> = {
  proven: { word: 'Proven', text: 'against the folder as it is now' },
  not_proven: { word: 'Not proven', text: 'the tests do not show that this works' },
  stale: { word: 'Stale', text: 'something changed since the proof' },
  unverifiable: { word: 'Cannot be proven', text: 'the tests gave no verdict' },
};

/** counts are the three figures on top. */
export function counts(c: Certificate): { turned: number; green: number; broken: number } {
  return { turned: list(c.red_to_green).length, green: c.still_green, broken: list(c.broken).length };
}

/** evidence is the rows below them, what weighs most first. */
export function evidence(c: Certificate): Row[] {
  const rows: Row[] = [];
  for (const id of list(c.broken)) rows.push({ mark: 'bad', text: id, code: true });
  for (const id of list(c.red_to_green)) rows.push({ mark: 'turned', text: id, code: true });
  for (const f of list(c.integrity)) rows.push({ mark: 'warn', text: f.text, flag: f });
  if (list(c.integrity).length === 0) rows.push({ mark: 'good', text: 'No test weakened, skipped or removed' });
  if (list(c.red_to_green).length > 0 && c.reruns > 0) {
    rows.push({ mark: 'good', text: `Green again in ${count(c.reruns, 'rerun')} of ${list(c.red_to_green).length === 1 ? 'it' : 'each'}` });
  }
  for (const id of list(c.flaky)) rows.push({ mark: 'warn', text: `Flaky, so it proves nothing: ${id}` });
  for (const t of list(c.infrastructure)) rows.push({ mark: 'warn', text: t });
  const before = list(c.pre_existing);
  if (before.length > 0) rows.push({ mark: 'plain', text: `${count(before.length, 'test')} red before and after: ${before.join(', ')}` });
  if (c.skipped > 0) rows.push({ mark: 'plain', text: `${count(c.skipped, 'test')} skipped` });
  return rows;
}

/** tests puts the two runs side by side: one row a test, what changed first. */
export function sideBySide(before: Run | null, after: Run | null): { id: string; before: Test | null; after: Test | null }[] {
  const byId = new Map<string, { id: string; before: Test | null; after: Test | null }>();
  for (const t of list(before?.tests)) byId.set(t.id, { id: t.id, before: t, after: null });
  for (const t of list(after?.tests)) {
    const row = byId.get(t.id);
    if (row) row.after = t;
    else byId.set(t.id, { id: t.id, before: null, after: t });
  }
  const weight = (r: { before: Test | null; after: Test | null }) => {
    if (isRed(r.after)) return 0;
    if (isRed(r.before)) return 1;
    return r.before === null && after ? 2 : 3;
  };
  return [...byId.values()].sort((a, b) => weight(a) - weight(b) || a.id.localeCompare(b.id));
}

/** isRed: failed or could not be run. */
export function isRed(t: Test | null): boolean {
  return t !== null && (t.status === 'failed' || t.status === 'error');
}

/** shortId is a test's own name, without the file and the groups it lives in. */
export function shortId(id: string): string {
  const sep = id.includes('::') ? '::' : ' > ';
  const cut = id.lastIndexOf(sep);
  return cut >= 0 ? id.slice(cut + sep.length) : id;
}

/** fileOf is the file of an id where the id names one. */
export function fileOf(id: string): string {
  const cut = id.search(/::| > /);
  return cut >= 0 ? id.slice(0, cut) : '';
}

/** headline is the line of a test's message that says most: the error itself, else the failed assertion, else the first. */
export function headline(message: string): string {
  const lines = message.split('\n').map((l) => l.trim()).filter(Boolean);
  const error = lines.findLast((l) => /^(E\s+)?[\w.]*(Error|Exception|Failure|panic)\b/.test(l));
  const assertion = lines.find((l) => /^E\s/.test(l));
  return (error ?? assertion ?? lines[0] ?? '').replace(/^E\s+/, '');
}

const definition = /\b(?:def|class|func|function|fn|interface|struct|impl|module)\s+(?:\([^)]*\)\s*)?([A-Za-z_$][\w$]*)/;

/** place names the function or class that a hunk adds or changes: the one that its new lines begin with, else the last one that its context shows before the change, else the one before it. */
export function place(hunk: Hunk): string {
  const lines = list(hunk.lines);
  const first = lines.findIndex((l) => l.op !== ' ');
  const added = lines.slice(Math.max(0, first)).find((l) => l.text.trim() !== '');
  if (added?.op === '+' && definition.test(added.text)) return definition.exec(added.text)?.[1] ?? '';
  const near = lines.slice(0, first < 0 ? 0 : first).map((l) => l.text).findLast((t) => definition.test(t));
  const text = near ?? hunk.section ?? '';
  return definition.exec(text)?.[1] ?? '';
}
