// The JSON forms of app: what a folder, the settings and the machine are, by hand.

import type { List } from './list';
import type { ModelInfo, Usage } from './model';
import type { Limits, Sandbox } from './session';

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
  notify: boolean; // tell on the desktop when a run ends or asks
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
  guides?: Guides;
}

/** Guides are what a repository says to agents: AGENTS.md and its like, of the folder and those above it in the repository. */
export interface Guides {
  files: List<{ path: string; text: string }>;
  hash: string; // goes back with a task, as the proof that they were shown
  seen: boolean; // by the person, as they are now
  off: boolean; // left out by the person
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
