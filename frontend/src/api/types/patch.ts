// The JSON forms of backend/patch, by hand.

import type { List } from './list';

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
