// Naming files and symbols in a message.

import { expect, test } from 'vitest';
import { asked, put } from './mention';

test.each([
  ['look at @inv', 12, { from: 8, word: 'inv' }],
  ['@', 1, { from: 0, word: '' }],
  ['(@app/mon', 9, { from: 1, word: 'app/mon' }],
  ['mail ada@example.org', 20, null], // an address names no file
  ['@inv and more', 13, null],
  ['@inv and more', 4, { from: 0, word: 'inv' }],
])('%j at %d', (text, cursor, want) => expect(asked(text, cursor)).toEqual(want));

test('a mention takes the place of what was written of it', () => {
  const file = { kind: 'file', name: '', path: 'app/money.py', line: 0 };
  expect(put('see @mon please', 4, 8, file)).toEqual({ text: 'see `app/money.py` please', cursor: 19 });
  expect(put('@to', 0, 3, { kind: 'function', name: 'total_of', path: 'app/money.py', line: 9 }).text).toBe('`total_of` (app/money.py:9) ');
});
