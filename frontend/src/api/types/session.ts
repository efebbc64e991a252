// The JSON forms of backend/session, by hand.

import type { List } from './list';
import type { ModelImage, ModelInfo, ModelMessage, Usage } from './model';
import type { Patch, PatchNote, Stat } from './patch';
import type { Certificate, ProofState } from './proof';

export interface Limits {
  steps: number;
  micro_usd: number;
  tokens: number;
  wall: number; // nanoseconds
  edit_failures?: number;
  output?: number;
}

export interface Test {
  id: string;
  status: 'passed' | 'failed' | 'skipped' | 'error';
  ms: number;
  message?: string;
}

export interface Run {
  runtime: string;
  command: List<string>;
  passed: number;
  failed: number;
  skipped: number;
  tests?: List<Test>;
  exit_code: number;
  reason?: string;
  ms: number;
  log?: string;
}

export interface Sandbox {
  name: string;
  label: string;
  protects: string;
  warnings?: List<string>;
}

export type Outcome = 'proven' | 'not_proven' | 'limit' | 'cancelled' | 'error' | 'running' | 'review' | 'waiting' | 'answered';

export interface Finished {
  outcome: Outcome;
  message?: string;
  patch: string;
  certificate: Certificate | null;
  steps: number;
  usd: number | null;
  tokens: number;
  applied: boolean;
  tried?: List<string>;
  still_red?: List<string>;
}

export type TaskKind = 'fix' | 'feature' | 'new' | 'tests' | 'refactor' | 'explain';

/** One thing that the result is held to; tests are the places of the patch's tests that name it. */
export interface Criterion {
  id: string;
  text: string;
  tests?: List<string>;
}

/** A proven part of a larger change; gained are the tests that turned green since the part before. */
export interface Part {
  number: number;
  summary: string;
  patch_hash: string;
  gained: List<string>;
}

/** A changed place that deserves a second look, whatever the proof says. */
export interface Mark {
  file: string;
  line: number;
  kind: string;
  why: string;
}

/** The payload of each kind of event; the reducer's switch is exhaustive over its keys. */
export interface Payloads {
  'session.started': {
    version: string;
    folder: string;
    task: string;
    model: ModelInfo;
    limits: Limits;
    approval: string;
    ask_edits?: boolean;
    test_cmd?: List<string>;
    guides?: List<string>;
    guides_hash?: string;
    no_guides?: boolean;
    branch?: string;
    commit?: string;
    base_hash: string;
    task_kind?: TaskKind;
    task_kind_by?: 'person' | 'text';
  };
  'sandbox.ready': Sandbox;
  message: { text: string; images?: List<ModelImage> };
  'tests.started': { command: List<string>; dir?: string; why: string };
  'baseline.finished': { run: Run; base_hash?: string; copied?: { way: 'clone' | 'kept_copy' | 'copy'; anew?: number; ms: number } };
  'step.started': { step: number };
  'model.requested': { step: number; tokens: number; window: number; body?: string; images?: List<ModelImage> };
  'model.replied': {
    step: number;
    message: ModelMessage;
    stop: 'end' | 'calls' | 'length' | 'refusal' | 'gave_up';
    usage: Usage;
    micro_usd: number;
    priced: boolean;
    ms: number;
    body?: string;
    reflects?: string;
    miss?: string; // why the provider's prompt cache was not read
  };
  'model.failed': { step: number; code: string; message: string; attempt: number; wait_ms?: number; final?: boolean };
  'tool.called': { step: number; call_id: string; tool: string; args: string; verdict: string };
  'tool.finished': {
    step: number;
    call_id: string;
    tool: string;
    ok: boolean;
    summary: string;
    text: string;
    cut?: boolean;
    full?: string;
    run?: Run | null;
    seen?: { path: string; hash: string }[];
    part?: Part | null;
    ms: number;
  };
  'patch.changed': { step: number; patch: Patch; hash: string; stat: Stat; notes?: List<PatchNote> };
  'proof.started': { patch_hash: string };
  'proof.finished': { state: ProofState; certificate: Certificate | null; run: Run };
  'context.compacted': {
    step: number;
    from: number;
    to: number;
    window: number;
    kept: number;
    text: string;
    reasoning?: string;
    how: 'model' | 'extract';
    usage: Usage;
    micro_usd: number;
    priced: boolean;
  };
  'criteria.written': { step: number; by: 'model' | 'person'; items: List<Criterion> };
  'model.chosen': { model: ModelInfo; by: 'person' };
  'session.forked': { from: string; seq: number };
  'question.asked': { step: number; text: string };
  'review.asked': { patch_hash: string; summary: string; label?: string; doubt?: string; criteria?: List<Criterion>; scrutiny?: List<Mark> };
  'review.answered': { decision: 'approve' | 'reject' | 'again'; by: 'person' | 'auto'; comment?: string; images?: List<ModelImage>; changed?: string };
  'patch.applied': { files: List<string>; receipt?: unknown; key?: string };
  'patch.undone': { files: List<string>; receipt?: unknown; key?: string };
  'apply.failed': { code: string; message: string };
  'limit.reached': { limit: string; message: string };
  'session.finished': Finished;
}

export type Kind = keyof Payloads;

/** One thing that happened; a union discriminated by kind. */
export type Event = {
  [K in Kind]: { seq: number; session: string; time: string; kind: K; data: Payloads[K] };
}[Kind];

/** What lists show of a session. */
export interface SessionState {
  id: string;
  folder: string;
  task: string;
  model: ModelInfo;
  limits: Limits;
  created: string;
  updated: string;
  seq: number;
  outcome: Outcome;
  steps: number;
  micro_usd: number;
  priced: boolean;
  usage: Usage;
  context: number;
  sandbox: Sandbox;
  patch: Patch;
  patch_hash: string;
  proof: ProofState | '';
  certificate?: Certificate | null;
  summary?: string;
  task_kind?: TaskKind;
  question?: string;
  criteria?: List<Criterion>;
  label?: string;
  doubt?: string;
  applied: boolean;
  receipt?: unknown; // of the last write, also of one that was taken back
  name?: string; // that the person gave it
  pinned?: boolean;
  source?: string; // where it was imported from; it is read-only then
  parent?: string; // the session that it was forked from
  owner?: Owner | null; // the other Redgreen that has it; here it can only be followed
  interrupted?: boolean; // in lists: it says that it runs, and nobody has it
}

/** What narrows the list of sessions; a part that is left out narrows nothing. */
export interface SessionQuery {
  folder?: string;
  query?: string;
  outcome?: string;
  model?: string; // PROVIDER/NAME
  since?: string; // RFC 3339
  pinned?: boolean;
  limit: number;
  offset: number;
}

/** A Redgreen that works on a session. */
export interface Owner {
  kind: 'window' | 'browser' | 'terminal' | ''; // '' not known
  pid: number;
  since: string;
  silent?: string; // when it last gave a sign of life, where that is long ago
}

/** An event that holds words of a query, each in «». */
export interface SessionHit {
  session: string;
  seq: number;
  kind: Kind;
  snippet: string;
}

export interface PairStep {
  step: number;
  seq: number;
  said?: string;
  acts?: List<{ tool: string; args: string; ok: boolean; summary: string }>;
  usage: Usage;
  micro_usd: number;
  priced: boolean;
  ms: number;
}

/** Steps of two sessions that did the same; one is null where only the other did it. */
export interface Pair {
  a: PairStep | null;
  b: PairStep | null;
  same: boolean;
}

/** The edit that made a changed line. */
export interface Origin {
  seq: number;
  step: number;
  said: string;
  by?: string; // model, or person: made in the review
}

export interface SessionInfo extends SessionState {
  live: boolean;
  paused?: boolean; // held before its next act
  can_approve: boolean;
  can_undo: boolean;
  can_resume: boolean;
  stale: List<string>;
  scrutiny?: List<Mark>;
}
