// The JSON forms of app: tasks, diffs, the review, the search and what is pushed, by hand.

import type { ProbeScore } from './app';
import type { List } from './list';
import type { FileStatus, Hunk } from './patch';
import type { Kind, Limits, Outcome, TaskKind } from './session';

export interface NewTask {
  folder: string;
  text: string;
  model: string;
  limits: Limits;
  ask_edits: boolean;
  test_cmd: string[];
  test_dir?: string; // where test_cmd runs, relative to the folder
  kind?: TaskKind | '';
  guides?: string; // the hash of the guides that the person was shown
  images?: string[]; // pictures, as base64
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

/** What a person makes of the patch that waits for review; hunks count from 0 as in the diff. */
export interface Choice {
  patch_hash: string;
  drop: { path: string; hunk: number }[];
  edits: { path: string; text: string }[];
  comment: string;
  images: string[]; // pictures that go with the comment, as base64
  notes: { path: string; line: number; text: string }[];
}

/** How far the review of a patch came, kept over restarts. */
export interface Review {
  patch_hash: string; // '' nothing is kept
  viewed: List<string>; // files that were looked at
  drop: List<Choice['drop'][number]>;
  edits: List<Choice['edits'][number]>;
  notes: List<Choice['notes'][number]>;
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

/** Picture is a picture of a session. */
export interface Picture {
  type: string;
  data: string; // base64
}

export interface Body {
  text: string;
  total: number;
  next: number;
}

/** A file or a symbol that a message can name. */
export interface Mention {
  kind: string; // file, or the kind of the symbol
  name: string; // '' of a file
  path: string;
  line: number; // 0 of a file
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

/** What a search gives: told are sentences on the results, such as that not all was looked at. */
export interface Found {
  hits: List<Hit>;
  told: List<string>;
}

/** What is told to a person who looks elsewhere; a click on it shows the session. */
export interface Notice {
  session: string;
  title: string;
  text: string;
}

/** How far a run of tests is; what is not known is 0. */
export interface TestsState {
  session: string;
  done: number;
  total: number;
  about: boolean; // the total is that of the run before
  part: number; // of several commands, which one
  parts: number;
  ms: number;
  last_ms: number; // what the same run took the last time
  rate: number; // tests a second
  left_ms: number;
  over: boolean;
}

/** The pushed events; small, and everything but deltas can be fetched again. */
/** Something that was dropped on the window; of a file, folder is the one to open for it. */
export interface Dropped {
  path: string;
  kind: 'folder' | 'file' | 'gone' | 'other';
  folder: string;
}

export interface Pushed {
  notices: { session: string; seq: number; kind: Kind }[];
  deltas: { session: string; step: number; text?: string; thinking?: string; reset?: boolean }[];
  index: { folder: string; done: number; total: number; chunks: number; ready: boolean; error?: string; rate?: number; left_ms?: number; generated?: number; vendored?: number }; // rate: files a second, 0 not known
  ask: { session: string; ask_id: string; kind: string; object: string };
  over: { session: string; outcome: Outcome }; // it works no more
  phase: { session: string; text: string };
  tests: TestsState;
  prepare: { folder: string; text: string }; // '' when it is done
  probe: { ref: string; score: ProbeScore };
  open: { folder: string; session: string }; // a second start, or a click on a notification, asks for it; '' none
  drop: { x: number; y: number; items: Dropped[] }; // on the window, in pixels of the page
  command: string; // the id of a shortcut, chosen in the window's menu
  connected: null; // the browser's stream is there, perhaps again
  disconnected: null;
}

export type Topic = keyof Pushed;
