// The JSON forms of the Go side, by hand: backend/session/event.go, backend/patch, backend/proof, backend/sandbox, app.
// A nil slice of Go arrives as null, so every list may be null; read them through list() of state/lists.ts.

export type List<T> = T[] | null | undefined;

// ---- backend/model

export interface ModelInfo {
  provider: string;
  name: string;
  label: string;
  local: boolean;
  search?: boolean; // no language model: a search over small edits
  window: number;
}

export interface Usage {
  known: boolean;
  input: number;
  cache_read?: number;
  cache_write?: number;
  cache_write_1h?: number;
  output: number;
  reasoning?: number;
}

export interface ModelCall {
  id: string;
  name: string;
  args: string;
}

export interface ModelMessage {
  role: 'user' | 'assistant' | 'tool';
  text?: string;
  thinking?: string;
  calls?: List<ModelCall>;
}

// ---- backend/patch

export type FileStatus = 'added' | 'deleted' | 'modified' | 'renamed';

export interface PatchLine {
  op: ' ' | '-' | '+';
  text: string;
}

export interface Hunk {
  old_start: number;
  old_lines: number;
  new_start: number;
  new_lines: number;
  section?: string;
  lines: List<PatchLine>;
}

export interface PatchFile {
  path: string;
  old_path?: string;
  status: FileStatus;
  before: string;
  after: string;
  hunks: List<Hunk>;
}

export interface Patch {
  files: List<PatchFile>;
}

export interface Stat {
  added: number;
  removed: number;
}

export interface PatchNote {
  path: string;
  block: number;
  message: string;
}

// ---- backend/proof

export type ProofState = 'proven' | 'not_proven' | 'stale' | 'unverifiable';

export interface Flag {
  file: string;
  line: number;
  rule: string;
  text: string;
}

/** A program or library that a run used. */
export interface Tool {
  name: string;
  version: string; // '' unknown
  path: string; // '' for a library
}

/** A complaint of one of the repository's own linters. */
export interface Finding {
  tool: string;
  file: string;
  line: number; // 0 the whole file
  rule: string;
  text: string;
}

/** Lines of the patched file, both ends included. */
export interface Span {
  file: string;
  first: number;
  last: number;
}

export interface RunLimits {
  wall: number; // nanoseconds
  memory: number; // bytes
  cpus: number;
  processes: number;
  output: number; // bytes
  disk: number; // bytes
}

export interface Certificate {
  state: ProofState;
  reasons: List<string>;
  red_to_green: List<string>;
  broken: List<string>;
  pre_existing: List<string>;
  flaky: List<string>;
  infrastructure: List<string>;
  integrity: List<Flag>;
  still_green: number;
  skipped: number;
  not_covered: List<string>;
  runtime: string;
  runtime_label: string;
  warnings: List<string>;
  command: List<string>;
  dir: string;
  base_hash: string;
  patch_hash: string;
  baseline_ms: number;
  patched_ms: number;
  issued: string;
  reruns: number;
  // A record of an older version has none of these.
  toolchain?: List<Tool>;
  base?: string; // 'host', or the image's reference and id
  limits?: RunLimits;
  static?: List<Finding>;
  uncovered?: List<Span>;
}

// ---- backend/session

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
    branch?: string;
    commit?: string;
    base_hash: string;
    task_kind?: TaskKind;
    task_kind_by?: 'person' | 'text';
  };
  'sandbox.ready': Sandbox;
  message: { text: string };
  'tests.started': { command: List<string>; dir?: string; why: string };
  'baseline.finished': { run: Run; base_hash?: string; copied?: { way: 'clone' | 'kept_copy' | 'copy'; anew?: number; ms: number } };
  'step.started': { step: number };
  'model.requested': { step: number; tokens: number; window: number; body?: string };
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
  'review.asked': { patch_hash: string; summary: string; label?: string; criteria?: List<Criterion>; scrutiny?: List<Mark> };
  'review.answered': { decision: 'approve' | 'reject' | 'again'; by: 'person' | 'auto'; comment?: string };
  'patch.applied': { files: List<string>; receipt?: unknown };
  'patch.undone': { files: List<string>; receipt?: unknown };
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
  applied: boolean;
  receipt?: unknown; // of the last write, also of one that was taken back
  name?: string; // that the person gave it
  pinned?: boolean;
  source?: string; // where it was imported from; it is read-only then
  parent?: string; // the session that it was forked from
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
}

export interface SessionInfo extends SessionState {
  live: boolean;
  elsewhere?: boolean; // another Redgreen works on it
  can_approve: boolean;
  can_undo: boolean;
  can_resume: boolean;
  stale: List<string>;
  scrutiny?: List<Mark>;
}

// ---- app

export type Theme = 'system' | 'light' | 'dark';

/** ModelSetting is what a probe found of a model, or the person chose. */
export interface ModelSetting {
  form: '' | 'native' | 'json' | 'text';
  edit_form: '' | 'unified_diff' | 'search_replace' | 'old_new' | 'whole_file';
  window: number; // tokens, 0 as the provider says
  probe?: ProbeResult | null;
}

/** What measuring a model would cost; priced false: the price is unknown. */
export interface ProbePlan {
  ref: string;
  calls: number;
  most_calls: number;
  tokens: number;
  worst: number; // micro-dollars
  priced: boolean;
  local: boolean;
}

export interface ProbeScore {
  form: string;
  passed: number;
  of: number;
}

/** What a probe measured: the forms that the model manages best, '' none. */
export interface ProbeResult {
  ref: string;
  tool_form: ModelSetting['form'];
  edit_form: ModelSetting['edit_form'];
  tools: List<ProbeScore>;
  edits: List<ProbeScore>;
  misses: List<{ form: string; case: string; why: string }>;
  calls: number;
  usage: Usage;
  micro_usd: number;
  priced: boolean;
  ms: number;
  time: string;
}

export type BillsBy = 'day' | 'model' | 'folder';

/** What the sessions of one day, model or folder took and gave. */
export interface Bill {
  day: string;
  model: string; // PROVIDER/NAME
  folder: string;
  local: boolean;
  sessions: number;
  fixes: number; // accepted and not taken back
  steps: number;
  usage: Usage;
  micro_usd: number;
  unpriced: number; // sessions of which a part has no known price
  ms: number; // that the replies took
  per_fix: number | null; // micro-dollars; null: no fix, or a price is unknown
  tokens_per_sec: number;
}

export interface Settings {
  theme: Theme;
  model: string;
  limits: Limits;
  ask_edits: boolean;
  font_size: number;
  base_urls: Record<string, string> | null;
  second_urls?: Record<string, string> | null; // where the same model is asked in an outage
  small_model?: string; // for summaries, "" the task's own
  embedder?: string; // of the index's vectors: "" built in, "none", PROVIDER/NAME; counts from the next start on
  generated?: boolean; // generated and vendored code is indexed too; counts from the next start on
  models?: Record<string, ModelSetting> | null; // by PROVIDER/NAME; changed by calls of its own
  runtime: string;
  editor: string;
  retention?: { days: number; megabytes: number }; // 0 all is kept
  images?: Images; // changed by a call of its own
  allow_none?: List<string>; // folders whose tests may run without isolation; only the CLI and allowNone change it
}

export interface Recent {
  path: string;
  name: string;
  opened: string;
  exists: boolean;
}

export interface Boot {
  version: string;
  mode: string;
  display_name: string;
  folder: string | null;
  recent: List<Recent>;
  sample: { path: string; name: string; task: string } | null;
  settings: Settings;
  session: string | null;
  keys: List<{ provider: string; env: string; set: boolean }>;
}

export interface TestCommand {
  runner: string;
  dir: string;
  args: List<string>;
  source: string;
}

/** How an opened folder is tested. */
export interface FolderTests {
  fixed: { args: List<string>; dir: string }; // by the person; without args: none
  found: List<TestCommand>;
  suggested: List<TestCommand>; // by the folder's guides: shown, never run unless the person fixes one
}

export interface Image {
  ref: string;
  id: string;
  size: number; // bytes
  made: string;
}

export interface ImageList {
  images: List<Image>;
  languages: List<{ name: string; for: List<string>; image: Image | null }>; // one can be built for these; for: the languages whose tests run in it
  chosen: Images;
  problem: string; // why images cannot be used here, '' they can
}

/** The images that tests run in instead of with this machine's toolchains. */
export interface Images {
  folders: Record<string, string> | null;
  languages: Record<string, string> | null;
}

/** An installation of what a lockfile names. */
export interface PrepareStep {
  language: string;
  name: string; // pip, npm, …
  dir: string;
  lockfile: string;
  commands: List<List<string>>;
  hosts: List<string>;
  tool: string;
  tool_from: string;
  ready: boolean; // installed for this lockfile already
  problem: string; // why it cannot run here, '' it can
}

export interface PreparePlan {
  folder: string;
  hash: string; // what the person saw
  steps: List<PrepareStep>;
}

export interface PreparedStep extends PrepareStep {
  ok: boolean;
  reason: string;
  log: string;
  refused: List<{ host: string; port: string; reason: string; times: number }>;
  ms: number;
  runtime: Rung;
}

export interface PrepareReport {
  folder: string;
  steps: List<PreparedStep>;
  ok: boolean;
}

export interface Folder {
  path: string;
  name: string;
  branch: string;
  commit: string;
  files: number;
  languages: List<{ name: string; files: number }>;
  test_commands: List<TestCommand>;
  index: { files: number; chunks: number; ready: boolean };
  recovered: string;
  truncated: boolean;
}

export interface ModelChoice extends ModelInfo {
  ref: string;
  recorded: boolean;
}

export interface Models {
  models: List<ModelChoice>;
  problems: List<{ provider: string; code: string; message: string }>;
  default: string;
}

export interface Check {
  name: string;
  ok: boolean;
  detail: string;
  fix?: string;
  took?: number; // nanoseconds
}

export interface Rung extends Sandbox {
  version: string;
}

export interface Doctor {
  chosen: string;
  checks: List<Check>;
  rung?: Rung | null;
}

export interface NewTask {
  folder: string;
  text: string;
  model: string;
  limits: Limits;
  ask_edits: boolean;
  test_cmd: string[];
  test_dir?: string; // where test_cmd runs, relative to the folder
  kind?: TaskKind | '';
}

export interface DiffFile {
  path: string;
  old_path?: string;
  status: FileStatus;
  before: string | null;
  after: string | null;
  added: number;
  removed: number;
  hunks: List<Hunk>;
  too_large: boolean;
}

export interface Diff {
  hash: string;
  files: List<DiffFile>;
}

/** Exported is a session that was saved at path or, where there is no dialog to choose a place, a text to be downloaded. */
export interface Exported {
  path: string;
  name: string;
  text: string;
}

export interface Body {
  text: string;
  total: number;
  next: number;
}

export interface Hit {
  path: string;
  start_line: number;
  end_line: number;
  symbol: string;
  kind: string;
  score: number;
  snippet: string;
  best_line: number;
  why: List<{ list: string; rank: number; score: number }>;
}

/** The pushed events; small, and everything but deltas can be fetched again. */
export interface Pushed {
  notices: { session: string; seq: number; kind: Kind }[];
  deltas: { session: string; step: number; text?: string; thinking?: string; reset?: boolean }[];
  index: { folder: string; done: number; total: number; chunks: number; ready: boolean; error?: string; rate?: number; left_ms?: number; generated?: number; vendored?: number }; // rate: files a second, 0 not known
  ask: { session: string; ask_id: string; kind: string; object: string };
  phase: { session: string; text: string };
  prepare: { folder: string; text: string }; // '' when it is done
  probe: { ref: string; score: ProbeScore };
  connected: null; // the browser's stream is there, perhaps again
  disconnected: null;
}

export type Topic = keyof Pushed;
