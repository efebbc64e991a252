// The JSON forms of backend/proof, by hand.

import type { List } from './list';

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
  hash?: string; // of all but the times
  toolchain?: List<Tool>;
  base?: string; // 'host', or the image's reference and id
  limits?: RunLimits;
  static?: List<Finding>;
  linters?: List<string>; // that looked at the changed files
  uncovered?: List<Span>;
  checked?: string; // what holds of a patch that is not there to turn a test green
  breaks?: List<Break>; // how its new tests were made to fail
  unbroken?: List<string>; // new tests that nothing made fail
  criteria?: List<Covered>;
}

/** Break is a line of the code changed on purpose, with the new tests that fail with it. */
export interface Break {
  file: string;
  line: number;
  was: string;
  now: string;
  tests: List<string>;
}

/** Covered is an acceptance criterion with the tests that cover it; places name it, FILE:LINE. */
export interface Covered {
  id: string;
  text: string;
  tests: List<string>;
  places: List<string>;
}
