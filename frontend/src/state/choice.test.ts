// The person's choice of a patch, and what the editor is told of it.

import { describe, expect, test } from 'vitest';
import { without } from '../api/hunks';
import type { Diff, DiffFile, Hunk } from '../api/types';
import { onlyBlanks, runs } from '../ui/changes';
import { choice, drop, dropFile, dropped, edit, fresh, kept, note, taken } from './choice';
import { moved } from './moved';

const hunk = (start: number, removed: string[], added: string[], context = 'c\n'): Hunk => ({
  old_start: start, old_lines: removed.length + 1, new_start: start, new_lines: added.length + 1,
  lines: [{ op: ' ', text: context }, ...removed.map((text) => ({ op: '-' as const, text })), ...added.map((text) => ({ op: '+' as const, text }))],
});
const file = (path: string, hunks: Hunk[]): DiffFile => ({ path, status: 'modified', before: '', after: '', added: 1, removed: 1, hunks, too_large: false });
const diff: Diff = { hash: 'p', files: [file('a.py', [hunk(1, ['x\n'], ['y\n']), hunk(9, ['x\n'], [])]), file('b.py', [])] };

describe('a choice', () => {
  test('counts what is taken', () => {
    const r = fresh('p');
    expect(taken(r, diff)).toEqual({ hunks: 3, of: 3, edited: 0, notes: 0, changed: false, empty: false });
    expect(taken(drop(r, 'a.py', 1, true), diff)).toMatchObject({ hunks: 2, changed: true });
    expect(taken((diff.files ?? []).reduce((x, f) => dropFile(x, f, true), r), diff)).toMatchObject({ hunks: 0, empty: true });
    expect(taken(edit(drop(r, 'a.py', 0, true), 'a.py', 'mine'), diff)).toMatchObject({ hunks: 1, of: 1, edited: 1, empty: false });
  });
  test('is about one patch only', () => {
    const r = drop(fresh('p'), 'a.py', 1, true);
    expect(dropped(kept(r, 'p'), 'a.py', 1)).toBe(true);
    expect(dropped(kept(r, 'q'), 'a.py', 1)).toBe(false);
    expect(kept({ patch_hash: 'p', viewed: null, drop: null, edits: null, notes: null }, 'p')).toEqual(fresh('p'));
  });
  test('an empty comment says nothing', () => {
    expect(choice(note(note(fresh('p'), 'a.py', 1, ' '), 'a.py', 9, 'why?'), 'well').notes).toEqual([{ path: 'a.py', line: 9, text: 'why?' }]);
  });
});

describe('hunks', () => {
  const before = 'c\nx\nd\ne\nf\n';
  const two: Hunk[] = [hunk(1, ['x\n'], ['y\n', 'z\n']), { old_start: 5, old_lines: 1, new_start: 6, new_lines: 2, lines: [{ op: ' ', text: 'f\n' }, { op: '+', text: 'g' }] }];
  test.each([
    ['none left out', [], 'c\ny\nz\nd\ne\nf\ng'],
    ['the first', [0], 'c\nx\nd\ne\nf\ng'],
    ['the second', [1], 'c\ny\nz\nd\ne\nf\n'],
    ['both', [0, 1], before],
  ])('text without: %s', (_, out, want) => expect(without(before, two, (i) => (out as number[]).includes(i))).toBe(want));
  test('runs know their lines', () => {
    expect(runs(two)).toEqual([{ old: 2, now: 2, removed: ['x\n'], added: ['y\n', 'z\n'] }, { old: 6, now: 7, removed: [], added: ['g'] }]);
    expect(runs([{ old_start: 0, old_lines: 0, new_start: 1, new_lines: 1, lines: [{ op: '+', text: 'g' }] }])).toEqual([{ old: 1, now: 1, removed: [], added: ['g'] }]);
  });
  test.each([
    [['a = 1\n'], ['  a  = 1\n'], true],
    [['a\n'], ['b\n'], false],
    [['a\n'], ['a\n', '\n'], false],
  ])('%j → %j changes blanks only: %s', (removed, added, want) => expect(onlyBlanks({ old: 1, now: 1, removed, added })).toBe(want));
  test('moved code is told at both ends', () => {
    const code = ['def one(a, b):\n', '    total = a + b\n', '    return total * 2 + a\n'];
    const m = moved([file('a.py', [hunk(4, code, [])]), file('b.py', [hunk(7, [], code.map((l) => `  ${l}`))])]);
    expect(Object.fromEntries(m)).toEqual({ 'a.py#0': 'moved to b.py:8', 'b.py#0': 'moved here from a.py:5' });
    expect(moved([file('a.py', [hunk(4, ['}\n'], []), hunk(9, [], ['}\n'])])]).size).toBe(0);
  });
});
