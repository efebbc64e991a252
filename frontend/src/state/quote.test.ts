// Quoting in a message: what is put in stays apart from the person's own words, and does not flood it.

import { describe, expect, test } from 'vitest';
import type { Test } from '../api/types';
import { block, blocks, firstRed, spaced, testText, textOf } from './quote';
import type { Item } from './session';

describe('a block', () => {
  test.each<[string, string, string, string]>([
    ['a line', 'E  assert 1 == 2', '', '```\nE  assert 1 == 2\n```\n'],
    ['a file', 'a\r\nb\r\n\r\n', 'run.log', 'run.log:\n```\na\nb\n```\n'],
    ['its indent stays', '    at f (a.js:1)\n', '', '```\n    at f (a.js:1)\n```\n'],
    ['a fence inside does not end it', 'x\n```\ny\n````\n', '', '`````\nx\n```\ny\n````\n`````\n'],
  ])('%s', (_, body, name, want) => expect(block(body, name)).toBe(want));
  test('a long one keeps its beginning and more of its end', () => {
    const text = block(`first\n${'x'.repeat(60_000)}\nlast`);
    expect(text.length).toBeLessThan(17_000);
    expect(text).toMatch(/^```\nfirst\n/);
    expect(text).toMatch(/\n… 4\d,\d{3} characters left out …\n[\s\S]*\nlast\n```\n$/);
  });
  test.each<[string, string, string, string]>([
    ['alone', '', '', 'Q'],
    ['after words', 'It fails:', '', '\n\nQ'],
    ['on the next line', 'It fails:\n', '', '\nQ'],
    ['between', 'a\n\n', 'b', 'Q\n'],
  ])('%s', (_, before, after, want) => expect(spaced(before, 'Q', after)).toBe(want));
});

describe('drawn', () => {
  test('a message is cut at its fences', () => {
    const text = `Look:\n\n${block('a ``` b\n', 'x.txt')}and \`c\``;
    expect(blocks(text)).toEqual([{ code: false, text: 'Look:\n\nx.txt:\n' }, { code: true, text: 'a ``` b' }, { code: false, text: 'and `c`' }]);
  });
  test.each(['no fence', '``` in a line', '```\nnever closed', '', 'a `b` c'])('%j stays', (text) => expect(blocks(text)).toEqual(text ? [{ code: false, text }] : []));
  test('an empty block, a language', () => expect(blocks('```go\n```\n')).toEqual([{ code: true, text: '' }]));
});

const one = (id: string, status: Test['status'], message = ''): Test => ({ id, status, ms: 1, message });
const run = (...tests: Test[]) => ({ tests }) as never;

describe('the red test', () => {
  const baseline = { type: 'baseline', run: run(one('a', 'passed'), one('b', 'failed', 'E 1 != 2')) } as unknown as Item;
  const step = (...runs: unknown[]) => ({ type: 'step', calls: runs.map((r) => ({ result: r ? { run: r } : null })) }) as unknown as Item;
  const proof = { type: 'proof', run: run(one('b', 'passed')) } as unknown as Item;
  test('of the latest run', () => expect(firstRed([baseline, step(run(one('c', 'error')), run(one('d', 'failed')))])?.id).toBe('d'));
  test('of an earlier one, where the latest is green', () => expect(firstRed([baseline, step(null, run(one('b', 'passed'))), proof])?.id).toBe('b'));
  test('none', () => expect(firstRed([proof, { type: 'message' } as Item])).toBeNull());
  test('its name and what it said', () => expect(testText(one('t.py::b', 'failed', 'E 1 != 2'))).toBe('t.py::b failed\nE 1 != 2'));
});

describe('a file', () => {
  test.each<[string, BlobPart, string | null]>([
    ['of text', 'grün\n', 'grün\n'],
    ['of bytes', new Uint8Array([0xff, 0xd8, 0xff]), null],
    ['with a zero', 'a\0b', null],
    ['empty', '', ''],
  ])('%s', async (_, part, want) => expect(await textOf(new File([part], 'x'))).toBe(want));
});
