// The one fold of a session's events into what the window shows. A saved session and a live one go through the same
// function. Pure: no clock, no calls.

import type { Certificate, Criterion, Event, Finished, Mark, ModelImage, ModelInfo, Outcome, Part, Patch, PatchNote, Payloads, ProofState, Run, Sandbox, Stat, Usage } from '../api/types';
import { list, replaceLast } from './lists';

export interface CallView {
  id: string;
  tool: string;
  args: string;
  verdict: string;
  at: number; // ms since the epoch
  result: Payloads['tool.finished'] | null;
}

export interface StepItem {
  type: 'step';
  seq: number;
  at: number;
  step: number;
  text: string;
  thinking: string;
  calls: CallView[];
  retries: Payloads['model.failed'][];
  replied: boolean;
  usage: Usage | null;
  microUsd: number;
  priced: boolean;
  ms: number; // of the model's reply
  body: string; // hash of what was sent
  miss: string; // why the provider's prompt cache was not read
  reflects: boolean; // its text says why the call before failed, and what changes
  change: { stat: Stat; notes: PatchNote[] } | null;
}

export interface ProofItem {
  type: 'proof';
  seq: number;
  at: number;
  end: number;
  state: ProofState | '';
  certificate: Certificate | null;
  run: Run | null;
}

export type Item =
  | { type: 'message'; seq: number; at: number; text: string; images: ModelImage[]; first: boolean }
  | { type: 'baseline'; seq: number; at: number; end: number; command: string[]; run: Run | null }
  | StepItem
  | ProofItem
  | { type: 'review'; seq: number; at: number; summary: string; label: string; criteria: Criterion[]; scrutiny: Mark[] }
  | { type: 'compacted'; seq: number; at: number; from: number; to: number; window: number; kept: number; how: 'model' | 'extract'; text: string }
  | { type: 'criteria'; seq: number; at: number; by: 'model' | 'person'; items: Criterion[] }
  | { type: 'forked'; seq: number; at: number; from: string }
  | { type: 'question'; seq: number; at: number; text: string }
  | { type: 'answer'; seq: number; at: number; decision: 'approve' | 'reject' | 'again'; by: 'person' | 'auto'; comment: string; images: ModelImage[]; changed: string }
  | { type: 'write'; seq: number; at: number; undone: boolean; files: string[] }
  | { type: 'failed'; seq: number; at: number; code: string; message: string }
  | { type: 'limit'; seq: number; at: number; limit: string; message: string }
  | { type: 'end'; seq: number; at: number; outcome: Outcome; message: string; tried: string[]; stillRed: string[] };

export interface SessionView {
  id: string;
  seq: number;
  started: Payloads['session.started'] | null;
  sandbox: Sandbox | null;
  items: Item[];
  baseline: Run | null;
  patch: { patch: Patch; hash: string; stat: Stat } | null;
  proof: { state: ProofState; certificate: Certificate | null; run: Run; hash: string } | null;
  proving: boolean;
  review: { hash: string; summary: string } | null;
  question: string; // that waits for an answer, '' none
  parts: Part[]; // of a larger change, each proven
  criteria: Criterion[]; // what the result is held to, as last written
  scrutiny: Mark[]; // places of the patch to look at twice
  label: string; // what was checked where red→green is not the point
  doubt: string; // why a person has to choose: other patches pass the same tests
  written: { files: string[]; undone: boolean } | null;
  finished: Finished | null;
  activity: 'preparing' | 'tests' | 'model' | 'tools' | 'proof' | 'waiting' | 'over';
  steps: number;
  replies: number;
  tokens: number;
  tokensKnown: boolean; // every reply told its usage
  microUsd: number;
  priced: boolean; // every reply has a price
  context: number; // tokens of the last request
  window: number; // 0 unknown
  worked: number; // ms of work before `since`
  since: number; // when the present stretch of work began, 0 when nothing runs
  last: number; // time of the last event
}

/** empty is a session of which nothing is known yet. */
export function empty(id: string): SessionView {
  return {
    id, seq: 0, started: null, sandbox: null, items: [], baseline: null, patch: null, proof: null, proving: false,
    review: null, question: '', parts: [], criteria: [], scrutiny: [], label: '', doubt: '', written: null, finished: null, activity: 'preparing', steps: 0, replies: 0, tokens: 0,
    tokensKnown: true, microUsd: 0, priced: true, context: 0, window: 0, worked: 0, since: 0, last: 0,
  };
}

/** reduceAll folds many events. */
export function reduceAll(view: SessionView, events: readonly Event[]): SessionView {
  return events.reduce(reduce, view);
}

/** reduce folds one event; an event that was seen already changes nothing. */
export function reduce(view: SessionView, e: Event): SessionView {
  if (e.seq <= view.seq) return view;
  const at = Date.parse(e.time) || view.last;
  const next = fold({ ...view, seq: e.seq, last: at }, e, at);
  return next;
}

function fold(v: SessionView, e: Event, at: number): SessionView {
  const base = { seq: e.seq, at };
  switch (e.kind) {
    case 'session.started':
      return { ...v, started: e.data, window: e.data.model.window, since: at };
    case 'sandbox.ready':
      return { ...v, sandbox: e.data };
    case 'message':
      return add(answered(v, at), { type: 'message', ...base, text: e.data.text, images: list(e.data.images), first: !v.items.some((i) => i.type === 'message') });
    case 'tests.started':
      if (e.data.why !== 'baseline') return { ...v, activity: e.data.why === 'proof' ? 'proof' : v.activity };
      return { ...add(v, { type: 'baseline', ...base, end: 0, command: list(e.data.command), run: null }), activity: 'tests' };
    case 'baseline.finished':
      return baselineFinished(v, e.data.run, base);
    case 'step.started':
      return {
        ...add(v, newStep(e.data.step, base)),
        steps: Math.max(v.steps, e.data.step),
        activity: 'model',
        since: v.since || at, // a session that was resumed works again
        finished: null,
      };
    case 'model.requested':
      return { ...v, context: e.data.tokens, window: e.data.window || v.window, activity: 'model' };
    case 'model.replied':
      return replied(v, e.data);
    case 'model.failed':
      return onStep(v, e.data.step, base, (s) => ({ ...s, retries: [...s.retries, e.data] }));
    case 'tool.called':
      return {
        ...onStep(v, e.data.step, base, (s) => ({
          ...s,
          calls: [...s.calls, { id: e.data.call_id, tool: e.data.tool, args: e.data.args, verdict: e.data.verdict, at, result: null }],
        })),
        activity: 'tools',
      };
    case 'tool.finished':
      return {
        ...onStep(v, e.data.step, base, (s) => ({ ...s, calls: finishCall(s.calls, e.data, at) })),
        parts: e.data.part ? [...v.parts, e.data.part] : v.parts,
      };
    case 'patch.changed':
      return {
        ...onStep(v, e.data.step, base, (s) => ({ ...s, change: { stat: e.data.stat, notes: list(e.data.notes) } })),
        patch: { patch: e.data.patch, hash: e.data.hash, stat: e.data.stat },
        proof: v.proof && v.proof.hash !== e.data.hash ? null : v.proof,
        review: null,
      };
    case 'proof.started':
      return { ...add(v, { type: 'proof', ...base, end: 0, state: '', certificate: null, run: null }), proving: true, activity: 'proof' };
    case 'proof.finished':
      return proofFinished(v, e.data, base);
    case 'context.compacted':
      return {
        ...add(v, {
          type: 'compacted', ...base, from: e.data.from, to: e.data.to, window: e.data.window, kept: e.data.kept, how: e.data.how, text: e.data.text,
        }),
        tokens: v.tokens + total(e.data.usage),
        microUsd: v.microUsd + e.data.micro_usd,
        priced: v.priced && e.data.priced,
      };
    case 'criteria.written':
      return { ...add(v, { type: 'criteria', ...base, by: e.data.by, items: list(e.data.items) }), criteria: list(e.data.items) };
    case 'model.chosen':
      return { ...v, started: v.started && { ...v.started, model: e.data.model }, window: e.data.model.window || v.window };
    case 'session.forked': // what was written and how it ended is the other session's
      return { ...pause(add(v, { type: 'forked', ...base, from: e.data.from }), at), finished: null, written: null, review: null, question: '' };
    case 'question.asked':
      return {
        ...pause(add(v, { type: 'question', ...base, text: e.data.text }), at),
        question: e.data.text,
        activity: 'waiting',
      };
    case 'review.asked':
      return {
        ...pause(
          add(v, {
            type: 'review', ...base, summary: e.data.summary, label: e.data.label ?? '', criteria: list(e.data.criteria),
            scrutiny: list(e.data.scrutiny),
          }),
          at,
        ),
        review: { hash: e.data.patch_hash, summary: e.data.summary },
        label: e.data.label ?? '',
        doubt: e.data.doubt ?? '',
        criteria: list(e.data.criteria).length > 0 ? list(e.data.criteria) : v.criteria,
        scrutiny: list(e.data.scrutiny),
        activity: 'waiting',
      };
    case 'review.answered': {
      const goesOn = e.data.decision === 'again' || (e.data.decision === 'reject' && !!e.data.comment);
      const item: Item = { type: 'answer', ...base, decision: e.data.decision, by: e.data.by, comment: e.data.comment ?? '', images: list(e.data.images), changed: e.data.changed ?? '' };
      return { ...add(v, item), review: e.data.decision === 'approve' ? v.review : null, since: goesOn ? at : v.since, activity: goesOn ? 'model' : v.activity };
    }
    case 'patch.applied':
      return write(v, base, list(e.data.files), false);
    case 'patch.undone':
      return write(v, base, list(e.data.files), true);
    case 'apply.failed':
      return add(v, { type: 'failed', ...base, code: e.data.code, message: e.data.message });
    case 'limit.reached':
      return add(v, { type: 'limit', ...base, limit: e.data.limit, message: e.data.message });
    case 'session.finished':
      return finished(v, e.data, base);
    default:
      return unknown(v, e);
  }
}

/** unknown keeps the switch whole: a kind without a case does not compile; one from a newer program is passed over. */
function unknown(v: SessionView, _e: never): SessionView {
  return v;
}

interface Base {
  seq: number;
  at: number;
}

function add(v: SessionView, item: Item): SessionView {
  return { ...v, items: [...v.items, item] };
}

/** answered lets a session that waited for an answer go on. */
function answered(v: SessionView, at: number): SessionView {
  return v.question === '' ? v : { ...v, question: '', since: at, activity: 'model' };
}

function pause(v: SessionView, at: number): SessionView {
  return v.since === 0 ? v : { ...v, worked: v.worked + Math.max(0, at - v.since), since: 0 };
}

function newStep(step: number, base: Base): StepItem {
  return {
    type: 'step', ...base, step, text: '', thinking: '', calls: [], retries: [], replied: false, usage: null, microUsd: 0,
    priced: true, ms: 0, body: '', miss: '', reflects: false, change: null,
  };
}

function onStep(v: SessionView, step: number, base: Base, change: (s: StepItem) => StepItem): SessionView {
  const fits = (i: Item) => i.type === 'step' && i.step === step;
  const items = replaceLast(v.items, fits, (i) => change(i as StepItem));
  if (items !== v.items) return { ...v, items };
  return { ...v, items: [...v.items, change(newStep(step, base))], steps: Math.max(v.steps, step) };
}

function finishCall(calls: CallView[], r: Payloads['tool.finished'], at: number): CallView[] {
  const open = (c: CallView) => c.id === r.call_id && c.result === null;
  const done = replaceLast(calls, open, (c) => ({ ...c, result: r }));
  if (done !== calls) return done;
  return [...calls, { id: r.call_id, tool: r.tool, args: '', verdict: 'allow', at, result: r }];
}

function baselineFinished(v: SessionView, run: Run, base: Base): SessionView {
  const open = (i: Item) => i.type === 'baseline' && i.run === null;
  let items = replaceLast(v.items, open, (i) => (i.type === 'baseline' ? { ...i, run, end: base.at } : i));
  if (items === v.items) items = [...v.items, { type: 'baseline', ...base, end: base.at, command: list(run.command), run }];
  return { ...v, items, baseline: run, activity: 'model' };
}

function total(u: Usage): number {
  return u.input + (u.cache_read ?? 0) + (u.cache_write ?? 0) + (u.cache_write_1h ?? 0) + u.output;
}

function replied(v: SessionView, d: Payloads['model.replied']): SessionView {
  const next = onStep(v, d.step, { seq: v.seq, at: v.last }, (s) => ({
    ...s, text: d.message.text ?? '', thinking: d.message.thinking ?? '', replied: true, usage: d.usage, microUsd: d.micro_usd,
    priced: d.priced, ms: d.ms, body: d.body ?? '', miss: d.miss ?? '', reflects: !!d.reflects,
  }));
  const input = total(d.usage) - d.usage.output;
  return {
    ...next,
    replies: v.replies + 1,
    tokens: v.tokens + (d.usage.known ? total(d.usage) : 0),
    tokensKnown: v.tokensKnown && d.usage.known,
    microUsd: v.microUsd + d.micro_usd,
    priced: v.priced && d.priced,
    context: d.usage.known && input > 0 ? input : v.context,
    activity: 'tools',
  };
}

function proofFinished(v: SessionView, d: Payloads['proof.finished'], base: Base): SessionView {
  const open = (i: Item) => i.type === 'proof' && i.state === '';
  const fill = (i: Item): Item =>
    i.type === 'proof' ? { ...i, end: base.at, state: d.state, certificate: d.certificate, run: d.run } : i;
  let items = replaceLast(v.items, open, fill);
  if (items === v.items) items = [...v.items, fill({ type: 'proof', ...base, end: 0, state: '', certificate: null, run: null })];
  const hash = d.certificate?.patch_hash || v.patch?.hash || '';
  return { ...v, items, proving: false, proof: { state: d.state, certificate: d.certificate, run: d.run, hash } };
}

function write(v: SessionView, base: Base, files: string[], undone: boolean): SessionView {
  return { ...add(v, { type: 'write', ...base, undone, files }), written: { files, undone }, review: null };
}

function finished(v: SessionView, d: Finished, base: Base): SessionView {
  const last = v.items.findLast((i) => i.type === 'step');
  const said = d.outcome === 'not_proven' && last?.text.trim() === d.message?.trim(); // the last step says it right above
  const item: Item = {
    type: 'end', ...base, outcome: d.outcome, message: said ? '' : (d.message ?? ''), tried: list(d.tried), stillRed: list(d.still_red),
  };
  // Of another tool's session the total may be all that is known, or more than its replies tell.
  const cost = d.usd == null ? {} : { microUsd: Math.round(d.usd * 1e6), priced: true };
  return { ...pause(add(v, item), base.at), ...cost, finished: d, proving: false, review: null, activity: 'over' };
}

// ---- what is derived

/** elapsed is how long the task was worked on, in ms; waiting for a person does not count. */
export function elapsed(v: SessionView, now: number): number {
  return v.worked + (v.since ? Math.max(0, now - v.since) : 0);
}

/** modelOf is the model of a session, null before its first event. */
export function modelOf(v: SessionView): ModelInfo | null {
  return v.started?.model ?? null;
}

/** stepLimit is how many steps a session may take, 0 where nothing limits them: the built-in engine is held to time. */
export function stepLimit(v: SessionView): number {
  return v.started && v.started.model.provider !== 'builtin' ? v.started.limits.steps : 0;
}

/** outcomeOf is the state of a session in one word. */
export function outcomeOf(v: SessionView): Outcome {
  if (v.finished) return v.finished.outcome;
  if (v.question !== '') return 'waiting';
  return v.review ? 'review' : 'running';
}
