// The small pure functions, as tables.

import { describe, expect, test } from 'vitest';
import { AppError, decode } from '../api/error';
import { joinArgs, splitArgs } from './args';
import { bill } from './bills';
import { measured } from './forms';
import { ago, baseName, bytes, clock, cost, firstLine, pretty, tail, tokens, took, usd } from './format';
import { mark } from './highlight';
import { quiet, settle, stream } from './live';
import { at, base, breakable, evidence, gutter, headline, how, limits, lineNow, notCovered, place, placeOf, shortId, fileOf, sideBySide, toneOf, uncovered } from './proof';
import { en } from '../texts/en';
import { Keys } from './keys';
import { nativeMenu } from './menu';
import { begins, keysOf, listed, match, type Press } from './shortcuts';
import { plots } from './plots';
import { empty, type Item } from './session';
import { bars, fit, heightOf, type Bar } from './strip';
import { act, besideCommand, commandOf, modelName, paths, result, standing, tally, whyFound } from './words';
import type { CallView, StepItem } from './session';
import type { Bill, Certificate, Hunk, ProbeResult, Run, Test } from '../api/types';

describe('errors of the Go side', () => {
  const json = '{"code":"conflict","message":"a.py changed"}';
  test.each([
    ['an Error that holds JSON', new Error(json), 'conflict', 'a.py changed'],
    ['a string of JSON', json, 'conflict', 'a.py changed'],
    ['an object', { code: 'denied', message: 'no key' }, 'denied', 'no key'],
    ['an AppError', new AppError('limit', 'too much'), 'limit', 'too much'],
    ['a plain string', 'boom', 'internal', 'boom'],
    ['a plain Error', new TypeError('x is undefined'), 'internal', 'x is undefined'],
    ['an unknown code', { code: 'moon', message: 'm' }, 'internal', 'm'],
    ['JSON of another form', '[1]', 'internal', '[1]'],
    ['nothing', undefined, 'internal', 'undefined'],
    ['an empty string', '', 'internal', 'Something went wrong, and nothing more is known.'],
  ])('%s', (_, reason, code, message) => {
    expect(decode(reason)).toMatchObject({ code, message });
  });
});

describe('figures', () => {
  test.each([[0, '0'], [950, '950'], [1000, '1k'], [18_400, '18.4k'], [99_960, '100k'], [250_000, '250k'], [1_200_000, '1.2M']])('tokens %d', (n, s) => expect(tokens(n)).toBe(s));
  test.each([[0, '$0.00'], [40, '< $0.0001'], [1234, '$0.0012'], [99_000, '$0.0990'], [100_000, '$0.10'], [1_000_000, '$1.00'], [12_345_678, '$12.35']])('usd %d', (n, s) => expect(usd(n)).toBe(s));
  test.each([[0, '0 ms'], [11, '11 ms'], [999, '999 ms'], [1234, '1.2 s'], [59_949, '59.9 s'], [59_980, '1 min'], [125_000, '2 min 5 s']])('took %d', (n, s) => expect(took(n)).toBe(s));
  test.each([[0, '0:00'], [41_900, '0:41'], [725_000, '12:05'], [3_729_000, '1:02:09'], [-5, '0:00']])('clock %d', (n, s) => expect(clock(n)).toBe(s));
  test.each([
    ['local', { local: true, priced: true, micro_usd: 0, replies: 3 }, 'local'],
    ['no price', { local: false, priced: false, micro_usd: 0, replies: 1 }, 'price unknown'],
    ['nothing asked yet', { local: false, priced: false, micro_usd: 0, replies: 0 }, '$0.00'],
    ['priced', { local: false, priced: true, micro_usd: 420_000, replies: 2 }, '$0.42'],
  ])('cost: %s', (_, s, want) => expect(cost(s)).toBe(want));
  const now = Date.parse('2026-03-01T12:00:00Z');
  test.each([['2026-03-01T11:59:40Z', 'just now'], ['2026-03-01T11:26:00Z', '34 min ago'], ['2026-03-01T08:59:00Z', '3 h ago'], ['2026-02-28T11:00:00Z', 'yesterday'], ['2026-01-02T08:00:00Z', '2 Jan 2026'], ['not a time', '']])('ago %s', (iso, s) => expect(ago(iso, now)).toBe(s));
  test('texts', () => {
    expect(firstLine('  one\ntwo')).toBe('one');
    expect(firstLine('x'.repeat(99), 10)).toBe('xxxxxxxxx…');
    expect(tail('/a/b/c', 4)).toBe('…b/c');
    expect(baseName('C:\\src\\app')).toBe('app');
    expect(baseName('/home/ada/app/')).toBe('app');
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(pretty('{broken')).toBe('{broken');
  });
});

describe('a test command', () => {
  test.each<[string, string[] | null]>([
    ['', []],
    ['pytest -q', ['pytest', '-q']],
    ['  go   test ./... ', ['go', 'test', './...']],
    [`pytest -k "not slow"`, ['pytest', '-k', 'not slow']],
    [`sh '-c' 'a "b"'`, ['sh', '-c', 'a "b"']],
    [`a\\ b c`, ['a b', 'c']],
    [`""`, ['']],
    [`a"b"c`, ['abc']],
    [`a; rm -rf $HOME && b`, ['a;', 'rm', '-rf', '$HOME', '&&', 'b']],
    [`open "quote`, null],
  ])('%s', (text, want) => expect(splitArgs(text)).toEqual(want));
  test.each([[['pytest', '-k', 'not slow']], [['a"b', "c'd", '\\', '']]])('joins back %j', (args) => expect(splitArgs(joinArgs(args))).toEqual(args));
});

describe('the menu of the window', () => {
  const items = nativeMenu(en).flatMap((m) => m.items ?? []);
  test('each item is there once and says something', () => {
    const acts = items.filter((i) => i.id);
    expect(acts.filter((i) => !i.label)).toEqual([]);
    expect(new Set(acts.map((i) => i.label)).size).toBe(acts.length);
    expect(new Set(acts.map((i) => i.id)).size).toBe(acts.length);
  });
  test('only keys that are no letters of a text are taken from the page', () => {
    expect(items.filter((i) => i.keys).map((i) => i.keys)).toEqual(['Ctrl+O', 'Ctrl+,', 'Ctrl+Q', 'Ctrl+K', 'Ctrl+=', 'Ctrl+-', 'Ctrl+0', 'Ctrl+.', 'Ctrl+Shift+Enter']);
  });
  test('it does what the shortcut does, by whoever is on top', () => {
    const told: string[] = [];
    const keys = new Keys((why) => void told.push(why));
    const done: string[] = [];
    keys.on({ write: () => void done.push('below'), undo: () => 'nothing was written' });
    const off = keys.on({ write: () => void done.push('on top') });
    expect(keys.run('write')).toBe(true);
    off();
    expect(keys.run('write')).toBe(true);
    expect(keys.run('cancel')).toBe(false);
    expect(done).toEqual(['on top', 'below']);
    expect(told).toEqual([]);
    expect(keys.run('undo')).toBe(true);
    expect(keys.press({ key: 'u', ctrl: false, shift: false, alt: false }, false, false)).toBe(true);
    expect(told).toEqual(['nothing was written', 'nothing was written']);
  });
});

describe('shortcuts', () => {
  const press = (key: string, mods: Partial<Press> = {}): Press => ({ key, ctrl: false, shift: false, alt: false, ...mods });
  test('no two have the same keys', () => expect(new Set(listed(false).map((s) => s.keys)).size).toBe(listed(false).length));
  test('a browser keeps its own keys', () => expect(listed(false).filter((s) => !listed(true).includes(s)).map((s) => s.id)).toEqual(['larger', 'smaller', 'normal', 'quit']));
  test.each<[string, Press, string, boolean, string | null]>([
    ['a letter', press('d'), '', false, 'layout'],
    ['a capital by Shift is another key', press('D', { shift: true }), '', false, null],
    ['a letter while typing', press('d'), '', true, null],
    ['Ctrl while typing', press('k', { ctrl: true }), '', true, 'search'],
    ['Enter alone does nothing', press('Enter'), '', false, null],
    ['Ctrl Enter sends', press('Enter', { ctrl: true }), '', true, 'send'],
    ['only Ctrl Shift Enter writes', press('Enter', { ctrl: true, shift: true }), '', false, 'write'],
    ['Shift Enter does not', press('Enter', { shift: true }), '', false, null],
    ['a sign that needs Shift', press('?', { shift: true }), '', false, 'help'],
    ['a sequence', press('s'), 'G', false, 'sessions'],
    ['its second key alone', press('s'), '', false, null],
    ['a single key after G', press('d'), 'G', false, 'doctor'],
    ['larger text', press('=', { ctrl: true }), '', true, 'larger'],
    ['where plus has a key of its own', press('+', { ctrl: true }), '', true, 'larger'],
    ['smaller text', press('-', { ctrl: true }), '', false, 'smaller'],
    ['what has no keys is no key', press('', { ctrl: true }), '', false, null],
    ['with Alt', press('d', { alt: true }), '', false, null],
  ])('%s', (_, p, before, typing, want) => expect(match(p, before, typing)).toBe(want));
  test('a sequence begins', () => {
    expect(begins(press('g'))).toBe('G');
    expect(begins(press('x'))).toBe('');
    expect(keysOf('write')).toBe('Ctrl+Shift+Enter');
  });
});

describe('streamed text', () => {
  const d = (step: number, text: string, reset = false) => ({ session: 's', step, text, reset });
  test('adds up, starts anew with a step, forgets on reset, and passes over what is late', () => {
    let l = stream(quiet, [d(1, 'a'), d(1, 'b')]);
    expect(l).toEqual({ step: 1, text: 'ab', thinking: '' });
    l = stream(l, [d(2, 'c'), d(1, 'late')]);
    expect(l).toEqual({ step: 2, text: 'c', thinking: '' });
    l = stream(l, [d(2, 'again', true)]);
    expect(l.text).toBe('again');
  });
  test('ends with its reply, but not with an older one', () => {
    const l = stream(quiet, [d(3, 'x')]);
    expect(settle(l, 2)).toBe(l);
    expect(settle(l, 3).text).toBe('');
    expect(stream(settle(l, 3), [d(3, 'late')]).text).toBe('late');
  });
  test('keeps only the end of a flood', () => expect(stream(quiet, [d(1, 'x'.repeat(100_000))]).text).toHaveLength(8000));
});

describe('why something is found', () => {
  const hit = (why: { list: string; rank: number; score: number }[] | null) => ({ path: 'a.py', start_line: 1, end_line: 2, symbol: 'f', kind: 'function', score: 1, snippet: '', best_line: 1, why });
  test.each([
    ['the sum of two lists is not said beside them', [{ list: 'words', rank: 1, score: 1 }, { list: 'keywords', rank: 2, score: 0 }, { list: 'vectors', rank: 7, score: 0 }], 'no. 2 by its words, no. 7 by meaning'],
    ['the sum alone', [{ list: 'words', rank: 3, score: 1 }], 'no. 3 by words and meaning'],
    ['a signal has no place', [{ list: 'symbols', rank: 1, score: 1 }, { list: 'exact name', rank: 0, score: 1 }], 'no. 1 by name, it is the definition'],
    ['a list that is not known here', [{ list: 'moons', rank: 1, score: 1 }], 'no. 1 moons'],
    ['nothing', null, ''],
  ])('%s', (_, why, want) => expect(whyFound(hit(why))).toBe(want));
});

describe('acts in words', () => {
  const call = (tool: string, args: unknown, ok: boolean | null = true, summary = ''): CallView => ({
    id: 'c', tool, args: typeof args === 'string' ? args : JSON.stringify(args), verdict: 'allow', at: 0,
    result: ok === null ? null : { step: 1, call_id: 'c', tool, ok, summary, text: '', ms: 1 },
  });
  test.each<[string, CallView, string, string]>([
    ['tests', call('run_tests', {}), 'Ran the tests', ''],
    ['tests now', call('run_tests', {}, null), 'Running the tests', ''],
    ['some tests', call('run_tests', { paths: ['tests/a.py::test_x'] }), 'Ran the tests', 'test_x'],
    ['search', call('search_code', { query: 'billing' }), 'Searched', 'billing'],
    ['read', call('read_file', { path: 'a.py', start_line: 1, end_line: 24 }), 'Read', 'a.py 1–24'],
    ['read from', call('read_file', { path: 'a.py', start_line: 201 }), 'Read', 'a.py from 201'],
    ['change', call('apply_patch', { path: 'a.py', old: 'x', new: 'y' }), 'Changed', 'a.py'],
    ['change refused', call('apply_patch', { path: 'a.py' }, false), 'Tried to change', 'a.py'],
    ['change of tests', call('apply_patch', { patch: '--- a/tests/test_a.py\n+++ b/tests/test_a.py\n@@ -1 +1 @@\n' }), 'Changed the tests', 'tests/test_a.py'],
    ['finish', call('finish', {}), 'Called it done', ''],
    ['finish refused', call('finish', {}, false), 'Could not finish', ''],
    ['measure', call('trace_coverage', {}), 'Measured', ''],
    ['edits on trial', call('try_patches', {}, null), 'Trying edits', ''],
    ['arguments that are no JSON', call('read_file', '{"path": '), 'Read', ''],
    ['an unknown tool', call('fly', {}), 'Called', 'fly'],
  ])('%s', (_, c, verb, object) => expect(act(c)).toEqual({ verb, object }));
  test.each<[string, unknown, string[]]>([
    ['a search and replace block', { patch: 'src/a.js\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n' }, ['src/a.js']],
    ['several files', { patch: '+++ b/a.py\n+++ b/c.py\n' }, ['a.py', 'c.py']],
    ['a deleted file', { patch: '--- a/a.py\n+++ /dev/null\n' }, ['a.py']],
    ['edits', { edits: [{ path: 'a.py' }, { path: 'a.py' }] }, ['a.py']],
  ])('paths of %s', (_, args, want) => expect(paths(JSON.stringify(args))).toEqual(want));
  test('what came of it', () => {
    expect(result(call('apply_patch', { path: 'a.py' }, true, 'a.py +2 −1'))).toEqual({ text: '', added: 2, removed: 1 });
    expect(result(call('read_file', { path: 'a.py' }, true, 'a.py, lines 1–33 of 33')).text).toBe('lines 1–33 of 33');
    expect(result(call('apply_patch', { path: 'a.py' }, false, 'refused: no_match in a.py')).text).toBe('refused: no_match in a.py');
    expect(result(call('finish', {}, true, 'fixed it')).text).toBe('');
    expect(result(call('finish', {}, false, 'the proof failed')).text).toBe('the proof failed');
  });
  const run = (over: Partial<Run>): Run => ({ runtime: 'r', command: [], passed: 0, failed: 0, skipped: 0, exit_code: 0, ms: 0, ...over });
  test.each<[string, Run, string]>([
    ['all', run({ passed: 14, failed: 1, skipped: 2 }), '1 failed, 14 passed, 2 skipped'],
    ['none', run({}), 'no test was found'],
    ['stopped', run({ passed: 3, reason: 'timeout' }), '3 passed, stopped: it took too long'],
    ['no verdict', run({ reason: 'pytest is not installed' }), 'no verdict: pytest is not installed'],
  ])('tally: %s', (_, r, want) => expect(tally(r).map((p) => p.text).join(', ')).toBe(want));
  test('only red and green tests have a colour', () => expect(tally(run({ passed: 1, failed: 1, skipped: 1 })).map((p) => p.tone)).toEqual(['r', 'g', '']));
});

describe('tests and places', () => {
  test.each([
    ["captured: x\n  File a\nAttributeError: 'NoneType' object has no attribute 'city'", "AttributeError: 'NoneType' object has no attribute 'city'"],
    ['>       assert code == 201\nE       assert 500 == 201', 'assert 500 == 201'],
    ['E       ValueError: bad', 'ValueError: bad'],
    ['want 3, got 4', 'want 3, got 4'],
    ['', ''],
  ])('headline %#', (message, want) => expect(headline(message)).toBe(want));
  test.each([
    ['tests/a.py::TestX::test_y', 'test_y', 'tests/a.py'],
    ['test/next.test.js > next > takes either', 'takes either', 'test/next.test.js'],
    ['amount.TestParse/negative', 'amount.TestParse/negative', ''],
  ])('id %s', (id, short, file) => expect([shortId(id), fileOf(id)]).toEqual([short, file]));
  const hunk = (section: string, ...lines: string[]) => ({ old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, section, lines: lines.map((l) => ({ op: l[0] as ' ', text: l.slice(1) })) });
  test.each([
    ['the context has it', hunk('def before():', ' def address_block(customer):', '+    x'), 'address_block'],
    ['only the section has it', hunk('func (s *Store) Open(path string) error {', ' \tx', '+\ty'), 'Open'],
    ['neither', hunk('', ' x', '+y'), ''],
    ['it is added', hunk('class A:', ' def before():', '+', '+def added():', '+    pass'), 'added'],
    ['a definition after the change', hunk('class A:', '+x', ' def later():'), 'A'],
  ])('place: %s', (_, h, want) => expect(place(h)).toBe(want));
  test('two runs side by side, what changed first', () => {
    const t = (id: string, status: Test['status']): Test => ({ id, status, ms: 1 });
    const run = (...tests: Test[]): Run => ({ runtime: '', command: [], passed: 0, failed: 0, skipped: 0, tests, exit_code: 0, ms: 0 });
    const rows = sideBySide(run(t('a', 'passed'), t('b', 'failed'), t('c', 'passed'), t('gone', 'passed')), run(t('a', 'passed'), t('b', 'passed'), t('c', 'failed'), t('new', 'passed')));
    expect(rows.map((r) => r.id)).toEqual(['c', 'b', 'new', 'a', 'gone']);
    expect(rows.at(-1)?.after).toBeNull();
  });
  test.each([
    ['failed', 'passed', true, 'turned'],
    ['', 'passed', true, 'turned'],
    ['', 'passed', false, 'green'], // it was never seen red
    ['passed', 'passed', false, 'green'],
    ['passed', 'failed', false, 'red'],
    ['passed', 'skipped', false, 'grey'],
    ['passed', '', false, 'grey'],
  ] as const)('a test that was %s and is %s, certified %s: %s', (before, after, turned, want) => {
    const t = (status: Test['status'] | ''): Test | null => (status ? { id: 'a', status, ms: 1 } : null);
    expect(toneOf(t(before), t(after), turned)).toBe(want);
  });
});

test('bars: one an act, the highest full, none of unfinished work', () => {
  const step: Omit<StepItem, 'ms' | 'calls'> = { type: 'step', seq: 2, at: 0, step: 1, text: '', thinking: '', retries: [], replied: true, usage: null, microUsd: 0, priced: true, body: '', miss: '', reflects: false, change: null };
  const out = bars([
    { type: 'baseline', seq: 1, at: 0, end: 0, command: [], run: null },
    { ...step, ms: 400, calls: [] },
    { ...step, seq: 3, ms: 100, calls: [] },
    { type: 'proof', seq: 4, at: 0, end: 0, state: '', certificate: null, run: null },
  ]);
  expect(out.map((b) => [b.seq, b.kind, b.height])).toEqual([[2, 'think', 1], [3, 'think', 0.5]]);
});

test('bars: as high as the cost where all of it is known', () => {
  const step = (seq: number, ms: number, microUsd: number): StepItem => ({ type: 'step', seq, at: 0, step: seq, text: '', thinking: '', retries: [], replied: true, usage: { known: true, input: 10 * seq, output: 1 }, microUsd, priced: microUsd > 0, ms, body: '', miss: '', reflects: false, change: null, calls: [] });
  const items: Item[] = [step(1, 400, 100), step(2, 100, 400)];
  expect(bars(items, 'cost').map((b) => b.height)).toEqual([0.5, 1]);
  expect([heightOf({ priced: true, microUsd: 1 }), heightOf({ priced: false, microUsd: 1 }), heightOf({ priced: true, microUsd: 0 })]).toEqual(['cost', 'time', 'time']);
  const view = { ...empty('s'), items: [...items, step(3, 100, 0)] };
  expect(plots(view).map((s) => [s.id, s.values])).toEqual([
    ['cost', [0.0001, 0.0005, null]], // the third has no known price: a gap, not the same again
    ['context', [10, 20, 30]],
    ['time', [0.4, 0.1, 0.1]],
  ]);
  expect(plots(empty('s'))).toEqual([]);
});

test('a long run fits: no act is left out, and a red test is not hidden by what stands beside it', () => {
  const all = Array.from({ length: 100 }, (_, i): Bar => ({ seq: i + 1, kind: i === 41 ? 'red' : 'look', height: i === 57 ? 1 : 0.2, label: `act ${i}` }));
  const out = fit(all, 10);
  expect(out.length).toBe(10);
  expect(out.map((b) => b.kind).filter((k) => k === 'red')).toHaveLength(1);
  expect(out[4]).toMatchObject({ seq: 42, kind: 'red', label: 'act 41; one of 10 acts here' });
  expect(out[5]?.height).toBe(1);
  expect(fit(all, 200)).toEqual(all);
});

test('marks what answers a query, whatever signs it holds', () => {
  expect(mark('The City of city_name', 'city of')).toEqual([
    { text: 'The ', hit: false }, { text: 'City', hit: true }, { text: ' ', hit: false }, { text: 'of', hit: true }, { text: ' ', hit: false }, { text: 'city', hit: true }, { text: '_name', hit: false },
  ]);
  expect(mark('a(b', '( [ . *')).toEqual([{ text: 'a(b', hit: false }]);
});

describe('the certificate', () => {
  const blank: Certificate = {
    state: 'proven', reasons: null, red_to_green: null, broken: null, pre_existing: null, flaky: null, infrastructure: null, integrity: null,
    still_green: 0, skipped: 0, not_covered: null, runtime: 'crun', runtime_label: 'container', warnings: null, command: null, dir: '', base_hash: '',
    patch_hash: '', baseline_ms: 0, patched_ms: 0, issued: '', reruns: 0,
  };

  test('how it was proven is one line; an old record says what it knows', () => {
    const toolchain = [{ name: 'python', version: '3.11.2', path: '/usr/bin/python3' }, { name: 'pytest', version: '', path: '' }];
    expect(how({ ...blank, toolchain, baseline_ms: 2000, patched_ms: 2100 })).toBe('python 3.11.2 · pytest · container · all tests in 2.1 s');
    expect(how(blank)).toBe('container');
  });

  test('the base in words', () => {
    expect(base(blank)).toBe('');
    expect(base({ ...blank, base: 'host' })).toMatch(/own toolchain/);
    expect(base({ ...blank, base: 'localhost/go:1 (sha256:ab)' })).toBe('localhost/go:1 (sha256:ab)');
  });

  test('limits leave out what is not bounded', () => {
    expect(limits({ wall: 600e9, memory: 2 * 1024 ** 3, cpus: 2, processes: 512, output: 1024 ** 2, disk: 0 })).toBe('10 min · 2 GB memory · 2 CPUs · 512 processes · 1 MB output');
  });

  test.each([[0, '0 B'], [1023, '1023 B'], [1536, '1.5 kB'], [5 * 1024 ** 4, '5 TB']])('%d bytes are %s', (n, want) => expect(bytes(n)).toBe(want));

  test('changed lines that no test ran are counted over their spans, and said once', () => {
    const c = { ...blank, uncovered: [{ file: 'a.py', first: 3, last: 4 }, { file: 'b.py', first: 9, last: 9 }], not_covered: ['No test executed 3 lines of the change: a.py:3-4, b.py:9.', 'Other.'] };
    expect(uncovered(c).text).toBe('3 changed lines were run by no test');
    expect(uncovered({ ...c, uncovered: c.uncovered.slice(1) }).text).toBe('1 changed line was run by no test');
    expect(uncovered(blank).text).toBe('');
    expect(notCovered(c)).toEqual(['Other.']);
    expect(notCovered({ ...c, uncovered: [] })).toHaveLength(2);
  });

  test('the margin of a file holds its own marks only', () => {
    const c = { ...blank, uncovered: [{ file: 'a.py', first: 3, last: 4 }], static: [{ tool: 'ruff', file: 'a.py', line: 0, rule: 'E501', text: 'long' }, { tool: 'ruff', file: 'b.py', line: 2, rule: '', text: 'x' }] };
    expect(gutter(c, [{ file: 'a.py', line: 3, kind: 'money', why: 'rounding' }], 'a.py').map((m) => [m.line, m.kind])).toEqual([[3, 'look'], [3, 'uncovered'], [4, 'uncovered'], [1, 'lint']]);
    expect(gutter(c, [], 'b.py')).toEqual([{ line: 2, kind: 'lint', text: 'ruff: x' }]);
    expect(gutter(null, [], 'a.py')).toEqual([]);
  });

  test('a flag about a removed line leads to where it stood', () => {
    const line = (op: ' ' | '-' | '+', text: string) => ({ op, text });
    const hunk: Hunk = { old_start: 10, old_lines: 4, new_start: 20, new_lines: 3, lines: [line(' ', 'a\n'), line('-', '  assert x\n'), line('-', 'b\n'), line('+', 'c\n'), line(' ', 'd\n')] };
    expect(lineNow({ file: 't', line: 11, rule: '', text: 'assert x' }, [hunk])).toBe(21);
    expect(lineNow({ file: 't', line: 12, rule: '', text: 'b' }, [hunk])).toBe(21);
    expect(lineNow({ file: 't', line: 21, rule: '', text: 'c' }, [hunk])).toBe(21);
  });

  test('a flag is told by its rule, and the line is kept', () => {
    const row = evidence({ ...blank, integrity: [{ file: 't.py', line: 4, rule: 'test skipped', text: '@skip' }] }).find((r) => r.flag);
    expect(row?.text).toBe('Test skipped');
  });

  test('places', () => {
    expect([at('a.py', 3), at('a.py', 3, 4), at('a.py', 0)]).toEqual(['a.py:3', 'a.py:3–4', 'a.py']);
    expect([placeOf('a/t.py:12'), placeOf('a.py')]).toEqual([{ file: 'a/t.py', line: 12 }, { file: 'a.py', line: 0 }]);
    expect(breakable('test_a_b').join('|')).toBe('test_|a_|b');
  });
});

test.each([
  ['sudo apt-get install --no-install-recommends podman crun', 'sudo apt-get install --no-install-recommends podman crun'],
  ['sudo usermod -aG kvm $USER, then log in again', 'sudo usermod -aG kvm $USER'],
  ['sudo apt-get install podman, or leave the image out', 'sudo apt-get install podman'],
  ['load it with `sudo modprobe kvm`', 'sudo modprobe kvm'],
  ['set REDGREEN_HOME to a plain path', ''],
  ['', ''],
])('of the advice %j the command is %j', (fix, want) => expect(commandOf(fix)).toBe(want));

test.each([
  ['sudo apt-get install podman crun', ''],
  ['redgreen doctor --allow-none FOLDER, for a folder that you trust', 'for a folder that you trust'],
  ['sudo usermod -aG kvm $USER, then log in again', 'then log in again'],
  ['load it with `sudo modprobe kvm`', 'load it with `sudo modprobe kvm`'],
  ['set REDGREEN_HOME to a plain path', 'set REDGREEN_HOME to a plain path'],
])('beside the command the advice %j says %j', (fix, want) => expect(besideCommand(fix)).toBe(want));

test('how lists call a model', () => {
  expect(modelName({ provider: 'ollama', name: 'qwen3' })).toBe('qwen3');
  expect(modelName({ provider: 'builtin', name: 'repair' })).toBe('built-in engine');
  expect(modelName({ provider: 'script', name: 'a.jsonl' })).toBe('recorded model');
});

test('how a session stands in a list', () => {
  expect(standing({ outcome: 'proven', applied: true, receipt: {} })).toBe('Proven, written');
  expect(standing({ outcome: 'proven', applied: false, receipt: {} })).toBe('Proven, taken back');
  expect(standing({ outcome: 'proven', applied: false })).toBe('Proven');
});

describe('what sessions cost', () => {
  const row: Bill = { day: '', model: '', folder: '', local: false, sessions: 2, fixes: 0, steps: 3, usage: { known: true, input: 900, cache_read: 80, output: 20 }, micro_usd: 1_500_000, unpriced: 0, ms: 0, per_fix: null, tokens_per_sec: 0 };
  test.each<[string, Partial<Bill>, ReturnType<typeof bill>]>([
    ['all priced', {}, { cost: '$1.50', unknown: '', tokens: '1k' }],
    ['a part without a price is never left out in silence', { unpriced: 1 }, { cost: '$1.50 or more', unknown: '1 session of unknown price', tokens: '1k' }],
    ['nothing priced is not nothing', { unpriced: 2, micro_usd: 0 }, { cost: 'price unknown', unknown: '', tokens: '1k' }],
    ['a local model', { local: true, micro_usd: 0 }, { cost: 'local', unknown: '', tokens: '1k' }],
    ['a server that tells no usage', { usage: { known: false, input: 0, output: 0 } }, { cost: '$1.50', unknown: '', tokens: 'unknown' }],
  ])('%s', (_name, change, want) => expect(bill({ ...row, ...change })).toEqual(want));
});

test('a probe in a line', () => {
  const p: ProbeResult = { ref: 'a/b', tool_form: 'json', edit_form: '', tools: [{ form: 'native', passed: 2, of: 8 }, { form: 'json', passed: 7, of: 8 }], edits: [], misses: null, calls: 1, usage: { known: true, input: 1, output: 1 }, micro_usd: 0, priced: true, ms: 1, time: '' };
  expect(measured(p)).toEqual(['calls as JSON 7 of 8', 'no form of edits']);
});
