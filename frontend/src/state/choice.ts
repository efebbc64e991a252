// What a person decides on a patch before it is written: hunks left out, files edited, comments, what was looked at.
// Pure: every function gives a new state.

import type { Choice, Diff, DiffFile, Review } from '../api/types';
import { list } from './lists';

/** fresh is a review of which nothing was decided. */
export function fresh(hash: string): Review {
  return { patch_hash: hash, viewed: [], drop: [], edits: [], notes: [] };
}

/** kept is the stored state where it is about this patch; what it says of hunks of another patch means nothing. */
export function kept(stored: Review | null, hash: string): Review {
  return stored && stored.patch_hash === hash
    ? { patch_hash: hash, viewed: list(stored.viewed), drop: list(stored.drop), edits: list(stored.edits), notes: list(stored.notes) }
    : fresh(hash);
}

export const dropped = (r: Review, path: string, hunk: number) => list(r.drop).some((d) => d.path === path && d.hunk === hunk);
export const edited = (r: Review, path: string) => list(r.edits).find((e) => e.path === path)?.text ?? null;
export const viewed = (r: Review, path: string) => list(r.viewed).includes(path);

/** size is how many ticks a file has: a file without hunks has one. */
export const size = (f: DiffFile) => Math.max(1, list(f.hunks).length);

export function drop(r: Review, path: string, hunk: number, out: boolean): Review {
  const others = list(r.drop).filter((d) => d.path !== path || d.hunk !== hunk);
  return { ...r, drop: out ? [...others, { path, hunk }] : others };
}

export function dropFile(r: Review, f: DiffFile, out: boolean): Review {
  return Array.from({ length: size(f) }, (_, i) => i).reduce((x, i) => drop(x, f.path, i, out), r);
}

export function view(r: Review, path: string, on: boolean): Review {
  const others = list(r.viewed).filter((p) => p !== path);
  return { ...r, viewed: on ? [...others, path] : others };
}

/** edit keeps the person's own text of a file; null takes it back. Ticks of the file count no more: the text has it all. */
export function edit(r: Review, path: string, text: string | null): Review {
  const others = list(r.edits).filter((e) => e.path !== path);
  return text === null ? { ...r, edits: others } : { ...r, edits: [...others, { path, text }], drop: list(r.drop).filter((d) => d.path !== path) };
}

export const noteAt = (r: Review, path: string, line: number) => list(r.notes).find((n) => n.path === path && n.line === line)?.text ?? null;

export function note(r: Review, path: string, line: number, text: string | null): Review {
  const others = list(r.notes).filter((n) => n.path !== path || n.line !== line);
  return { ...r, notes: text === null ? others : [...others, { path, line, text }] };
}

export interface Taken {
  hunks: number; // that stay, of those of files that were not edited
  of: number;
  edited: number; // files
  notes: number;
  changed: boolean; // something is left out or edited
  empty: boolean; // nothing is left
}

/** taken counts what a review takes of a patch. */
export function taken(r: Review, diff: Diff | null): Taken {
  const files = list(diff?.files);
  const own = files.filter((f) => edited(r, f.path) !== null).length;
  const rest = files.filter((f) => edited(r, f.path) === null);
  const of = rest.reduce((n, f) => n + size(f), 0);
  const out = rest.reduce((n, f) => n + Array.from({ length: size(f) }, (_, i) => i).filter((i) => dropped(r, f.path, i)).length, 0);
  const notes = list(r.notes).filter((n) => n.text.trim() !== '').length;
  return { hunks: of - out, of, edited: own, notes, changed: out > 0 || own > 0, empty: own === 0 && out === of };
}

/** choice is what the Go side is told. */
export function choice(r: Review, comment = '', images: string[] = []): Choice {
  return { patch_hash: r.patch_hash, drop: list(r.drop), edits: list(r.edits), comment, images, notes: list(r.notes).filter((n) => n.text.trim() !== '') };
}
