// The certificate in sentences with marks. What is not covered is said in the same breath as what is.

import type { Certificate, Covered, Criterion, Flag, Hunk, Mark as ScrutinyMark, Run, RunLimits, Span, Test } from '../api/types';
import { bytes, took } from './format';
import { list } from './lists';
import { t } from '../texts';

export type Mark = 'turned' | 'good' | 'bad' | 'warn' | 'plain';

export interface Row {
  mark: Mark;
  text: string;
  code?: boolean; // a test id: monospaced
  flag?: Flag; // leads to its line
}

/** counts are the three figures on top. */
export function counts(c: Certificate): { turned: number; green: number; broken: number } {
  return { turned: list(c.red_to_green).length, green: c.still_green, broken: list(c.broken).length };
}

/** evidence is the rows below them, what weighs most first. */
export function evidence(c: Certificate): Row[] {
  const rows: Row[] = [];
  for (const id of list(c.broken)) rows.push({ mark: 'bad', text: id, code: true });
  for (const id of list(c.red_to_green)) rows.push({ mark: 'turned', text: id, code: true });
  for (const f of list(c.integrity)) rows.push({ mark: 'warn', text: sentence(f.rule), flag: f });
  if (list(c.integrity).length === 0) rows.push({ mark: 'good', text: t.evidence.noneWeakened });
  if (list(c.red_to_green).length > 0 && c.reruns > 0) {
    rows.push({ mark: 'good', text: t.evidence.greenAgain(c.reruns, list(c.red_to_green).length) });
  }
  for (const id of list(c.flaky)) rows.push({ mark: 'warn', text: t.evidence.flaky(id) });
  for (const text of list(c.infrastructure)) rows.push({ mark: 'warn', text });
  const before = list(c.pre_existing);
  if (before.length > 0) rows.push({ mark: 'plain', text: t.evidence.redBefore(before) });
  if (c.skipped > 0) rows.push({ mark: 'plain', text: t.evidence.skipped(c.skipped) });
  return rows;
}

/** sentence begins with a capital. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** uncovered says how many changed lines no test ran, and where; '' when every measured line was run. */
export function uncovered(c: Certificate): { text: string; spans: Span[] } {
  const spans = list(c.uncovered);
  const n = spans.reduce((sum, s) => sum + s.last - s.first + 1, 0);
  return { text: n === 0 ? '' : t.evidence.uncovered(n), spans };
}

/** notCovered is what else the proof does not say. The sentence about lines that no test ran is told by uncovered, with
 * the places to go to. */
export function notCovered(c: Certificate): string[] {
  const told = list(c.uncovered).length > 0;
  return list(c.not_covered).filter((s) => !told || !/^No test executed .+ of the change: /.test(s));
}

/** at names a place as an editor takes it. */
export function at(file: string, first: number, last = first): string {
  if (first <= 0) return file;
  return last > first ? `${file}:${first}–${last}` : `${file}:${first}`;
}

/** how is the one line on how it was proven: the toolchain, what isolated it, how long one run of all tests took with the patch. */
export function how(c: Certificate): string {
  const tools = list(c.toolchain).slice(0, 3).map((tool) => `${tool.name} ${tool.version}`.trim());
  return [...tools, c.runtime_label, c.patched_ms > 0 ? t.how.aRun(took(c.patched_ms)) : ''].filter(Boolean).join(' · ');
}

/** base says what the tests ran on. */
export function base(c: Certificate): string {
  if (!c.base) return '';
  return c.base === 'host' ? t.how.host : c.base;
}

/** limits says the bounds of a run in a line. */
export function limits(l: RunLimits): string {
  return [
    l.wall > 0 ? took(l.wall / 1e6) : '',
    l.memory > 0 ? t.how.memory(bytes(l.memory)) : '',
    l.cpus > 0 ? t.how.cpus(l.cpus) : '',
    l.processes > 0 ? t.how.processes(l.processes) : '',
    l.disk > 0 ? t.how.disk(bytes(l.disk)) : '',
    l.output > 0 ? t.how.output(bytes(l.output)) : '',
  ].filter(Boolean).join(' · ');
}

/** lineNow is where a flag's line stands in the new text: what was removed has a number of the old one. */
export function lineNow(f: Flag, hunks: readonly Hunk[]): number {
  for (const h of hunks) {
    let old = h.old_start;
    let now = h.new_start;
    for (const l of list(h.lines)) {
      if (l.op === '-' && old === f.line && l.text.trim() === f.text.trim()) return Math.max(1, now);
      if (l.op !== '+') old++;
      if (l.op !== '-') now++;
    }
  }
  return f.line;
}

/** A place in a file's gutter. */
export interface GutterMark {
  line: number;
  kind: 'uncovered' | 'lint' | 'look';
  text: string;
}

/** placeOf reads FILE:LINE. */
export function placeOf(text: string): { file: string; line: number } {
  const m = /^(.*):(\d+)$/.exec(text);
  return m ? { file: m[1] as string, line: Number(m[2]) } : { file: text, line: 0 };
}

/** covered gives the criteria that hold now, each with what the certificate shows of it: nothing of one that was changed since. */
export function covered(now: readonly Criterion[], c: Certificate | null): Covered[] {
  return now.map((k) => list(c?.criteria).find((x) => x.id === k.id && x.text === k.text) ?? { id: k.id, text: k.text, tests: [], places: list(k.tests) });
}

/** gutter gives what the margin of a file's diff shows. */
export function gutter(c: Certificate | null, look: readonly ScrutinyMark[], path: string): GutterMark[] {
  const marks: GutterMark[] = [];
  for (const m of look) if (m.file === path && m.line > 0) marks.push({ line: m.line, kind: 'look', text: t.evidence.lookTwice(m.kind, m.why) });
  for (const s of list(c?.uncovered)) {
    if (s.file === path) for (let line = s.first; line <= s.last; line++) marks.push({ line, kind: 'uncovered', text: t.evidence.noTestRan });
  }
  for (const f of list(c?.static)) {
    if (f.file === path) marks.push({ line: Math.max(1, f.line), kind: 'lint', text: `${f.tool}${f.rule ? ` ${f.rule}` : ''}: ${f.text}` });
  }
  return marks;
}

/** tests puts the two runs side by side: one row a test, what changed first. */
export function sideBySide(before: Run | null, after: Run | null): { id: string; before: Test | null; after: Test | null }[] {
  const byId = new Map<string, { id: string; before: Test | null; after: Test | null }>();
  for (const x of list(before?.tests)) byId.set(x.id, { id: x.id, before: x, after: null });
  for (const x of list(after?.tests)) {
    const row = byId.get(x.id);
    if (row) row.after = x;
    else byId.set(x.id, { id: x.id, before: null, after: x });
  }
  const weight = (r: { before: Test | null; after: Test | null }) => {
    if (isRed(r.after)) return 0;
    if (isRed(r.before)) return 1;
    return r.before === null && after ? 2 : 3;
  };
  return [...byId.values()].sort((a, b) => weight(a) - weight(b) || a.id.localeCompare(b.id));
}

/** isRed: failed or could not be run. */
export function isRed(test: Test | null): boolean {
  return test !== null && (test.status === 'failed' || test.status === 'error');
}

export type Tone = 'turned' | 'red' | 'green' | 'grey';

/** toneOf is what became of a test. Of one that was not there before only the certificate (turned) knows that it was red without the fix. */
export function toneOf(before: Test | null, after: Test | null, turned: boolean): Tone {
  if (!after || after.status === 'skipped') return 'grey';
  if (isRed(after)) return 'red';
  return isRed(before) || (!before && turned) ? 'turned' : 'green';
}

/** shortId is a test's own name, without the file and the groups it lives in. */
export function shortId(id: string): string {
  const sep = id.includes('::') ? '::' : ' > ';
  const cut = id.lastIndexOf(sep);
  return cut >= 0 ? id.slice(cut + sep.length) : id;
}

/** breakable cuts a long name where a line may break without harm. */
export function breakable(text: string): string[] {
  return text.split(/(?<=[_/:.>-])(?=[^_/:.>\s-])/);
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
  const near = lines.slice(0, first < 0 ? 0 : first).map((l) => l.text).findLast((line) => definition.test(line));
  const text = near ?? hunk.section ?? '';
  return definition.exec(text)?.[1] ?? '';
}
