// What happened, in words: verbs in the past, one line a result. The machine's words show only on opening.

import type { Hit, Outcome, Owner, Run } from '../api/types';
import { t } from '../texts';
import { list } from './lists';
import { shortId } from './proof';
import type { CallView, SessionView } from './session';

export interface Act {
  verb: string;
  object: string;
}

type Args = Record<string, unknown>;

function parse(args: string): Args {
  try {
    const x: unknown = JSON.parse(args);
    return typeof x === 'object' && x !== null ? (x as Args) : {};
  } catch {
    return {};
  }
}

function text(args: Args, ...names: string[]): string {
  for (const n of names) {
    const x = args[n];
    if (typeof x === 'string' && x) return x;
    if (typeof x === 'number') return String(x);
  }
  return '';
}

function texts(x: unknown): string[] {
  return Array.isArray(x) ? x.filter((y): y is string => typeof y === 'string') : [];
}

function lines(args: Args): string {
  const from = text(args, 'start_line', 'start', 'from', 'offset', 'line');
  const to = text(args, 'end_line', 'end', 'to');
  if (from && to) return ` ${t.acts.lines(from, to)}`;
  return from && from !== '1' ? ` ${t.acts.from(from)}` : '';
}

/** paths finds the files that an edit's arguments name, in whatever form the edit was written. */
export function paths(args: string): string[] {
  const a = parse(args);
  const edits = Array.isArray(a.edits) ? (a.edits as unknown[]) : [];
  const named = [text(a, 'path', 'file'), ...edits.map((e) => text(e as Args, 'path', 'file'))];
  const diff = text(a, 'patch', 'diff', 'unified_diff') || (Object.keys(a).length === 0 ? args : '');
  const marks = [...diff.matchAll(/^(?:\+\+\+ (?:b\/)?|--- (?:a\/)?)(\S+)/gm), ...diff.matchAll(/^(\S+)\n<{5,} SEARCH/gm)].map((m) => m[1] as string);
  return [...new Set([...named, ...marks])].filter((p) => p && p !== '/dev/null');
}

const testFile = /(^|\/)(tests?|__tests__|spec)\/|(^|\/)test_[^/]+$|_test\.\w+$|\.(test|spec)\.\w+$/;

/** isTestFile guesses from the path whether a file holds tests; only for wording. */
export function isTestFile(path: string): boolean {
  return testFile.test(path);
}

/** act says what a call did, or is doing now. */
export function act(c: CallView): Act {
  const a = parse(c.args);
  const say = (words: { past: string; now: string }, object = ''): Act => ({ verb: c.result !== null ? words.past : words.now, object });
  switch (c.tool) {
    case 'run_tests':
      return say(t.acts.tests, texts(a.paths ?? a.tests).map(shortId).join('  '));
    case 'search_code':
      return say(t.acts.search, text(a, 'query', 'q', 'pattern'));
    case 'read_file':
      return say(t.acts.read, text(a, 'path', 'file') + lines(a));
    case 'apply_patch': {
      const files = paths(c.args);
      const tests = files.length > 0 && files.every(isTestFile);
      const refused = c.result && !c.result.ok;
      return say(refused ? t.acts.changeRefused : tests ? t.acts.changeTests : t.acts.change, files.join('  '));
    }
    case 'ask_person':
      return say(t.acts.ask);
    case 'write_criteria':
      return say(t.acts.criteria);
    case 'trace_coverage':
      return say(t.acts.measure);
    case 'try_patches':
      return say(t.acts.tryEdits);
    case 'finish':
      return say(c.result && !c.result.ok ? t.acts.finishRefused : t.acts.finish);
    default:
      return say(t.acts.other, c.tool);
  }
}

export interface Result {
  text: string; // a line, '' when the act says it all
  added: number;
  removed: number;
}

/** result is what came of a call in a line; what the act names already is not said again. */
export function result(c: CallView): Result {
  const r = c.result;
  const none = { text: '', added: 0, removed: 0 };
  if (!r) return none;
  if (['finish', 'ask_person', 'write_criteria'].includes(c.tool) && r.ok) return none; // what it says stands in a row of its own
  const counts = /\+(\d+) [−-](\d+)/.exec(r.summary);
  if (c.tool === 'apply_patch' && r.ok && counts) return { text: '', added: Number(counts[1]), removed: Number(counts[2]) };
  const named = act(c).object.split(' ')[0] ?? '';
  const text = c.tool === 'read_file' && named && r.summary.startsWith(`${named}, `) ? r.summary.slice(named.length + 2) : r.summary;
  return { ...none, text };
}

/** tally gives "14 passed, 1 failed" in parts, so that each can have its colour; the order is failed first. */
export function tally(run: Run): { text: string; tone: 'r' | 'g' | '' }[] {
  const out: { text: string; tone: 'r' | 'g' | '' }[] = [];
  if (run.failed > 0) out.push({ text: t.run.failed(run.failed), tone: 'r' });
  if (run.passed > 0) out.push({ text: t.run.passed(run.passed), tone: 'g' });
  if (run.skipped > 0) out.push({ text: t.run.skipped(run.skipped), tone: '' });
  if (out.length === 0) out.push({ text: noVerdict(run), tone: '' });
  else if (run.reason) out.push({ text: t.run.stopped(reason(run.reason)), tone: '' });
  return out;
}

function noVerdict(run: Run): string {
  return run.reason ? t.run.noVerdict(reason(run.reason)) : t.run.noTest;
}

/** reason puts a stop reason in words; what is not in the table is words already. */
export function reason(r: string): string {
  return t.run.reasons[r] ?? r;
}

/** standing is how a session stands, in a list: with what became of its patch, and who has it. */
export function standing(s: { outcome: Outcome; applied: boolean; receipt?: unknown; owner?: Owner | null; interrupted?: boolean }): string {
  const word = s.interrupted ? t.standing.interrupted : t.outcomes[s.outcome].word;
  if (s.owner) return t.standing.with(word, t.standing.owners[s.owner.kind]);
  if (s.applied) return t.standing.written(word);
  return s.receipt ? t.standing.takenBack(word) : word;
}

/** modelName is how lists call a model, whose name may be one of a procedure of ours. */
export function modelName(m: { provider: string; name: string }): string {
  return m.provider === 'script' ? t.general.recordedModel : m.provider === 'builtin' ? t.general.builtinEngine : m.name;
}

/** commandOf gives the command of an advice: what stands in backticks, else the advice itself where it begins like a
 * command, up to where words follow; '' when it is words alone. */
export function commandOf(fix: string): string {
  const quoted = [...fix.matchAll(/`([^`]+)`/g)].map((m) => m[1] as string);
  if (quoted.length > 0) return quoted.join(' && ');
  const begins = /^(sudo|apt|apt-get|dnf|podman|systemctl|loginctl|modprobe|sysctl|usermod|redgreen|export|mount|chmod|chown|mkdir|echo)\s/;
  if (!begins.test(fix)) return '';
  return (fix.split(/,?\s+(?:then|or|and|as)\s(?!-)|[;,]\s/)[0] ?? '').trim();
}

/** besideCommand gives what an advice says beside its command: '' when the command is all of it. */
export function besideCommand(fix: string): string {
  const command = commandOf(fix);
  return command && fix.startsWith(command) ? fix.slice(command.length).replace(/^[,;:]?\s+/, '') : fix;
}

/** activity is the phase line where the system has not said anything more exact. */
export function activity(v: SessionView): string {
  return t.standing.activities[v.activity];
}

/** within puts a rung's label after "in". */
export function within(label: string): string {
  return t.sandbox.within[label] ?? label;
}

/** walled tells whether a runtime keeps anything in; one of the rungs, by the person's own choice, does not. */
export function walled(label: string): boolean {
  return label !== 'no isolation';
}

function saidOf(list: string, rank: number): string {
  const how = t.search.lists[list] ?? list;
  return rank > 0 ? t.search.rank(rank, how) : how;
}

/** Why a search found something: its place in each list, best first, then what else spoke for it. */
export function whyFound(h: Hit): string {
  const parts = list(h.why);
  const shown = parts.filter((p) => p.list !== 'words' || parts.length === 1); // the sum of two lists that are shown themselves
  const said = shown.map((p) => saidOf(p.list, p.rank));
  return [...new Set(said)].join(', ');
}
