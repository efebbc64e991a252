// What the in-memory session does, step by step: events as the Go side would store them, and streamed text before them.

import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';
import type { Certificate, DiffFile, Hunk, Kind, ModelImage, Patch, PatchLine, Payloads, Pushed, Run, Sandbox, TaskKind, Test } from '../types';
import { files, folder, newTest, oldTests, type FakeFile } from './repo';

/** A beat waits ms, then streams text or stores an event. */
export type Beat =
  | { wait: number; text: string; thinking?: boolean; step: number }
  | { wait: number; phase: string }
  | { wait: number; tests: Omit<Pushed['tests'], 'session'> }
  | { wait: number; ask: string }
  | { wait: number; kind: Kind; data: Payloads[Kind] };

export type Scene = 'proven' | 'not_proven' | 'limit' | 'error' | 'stale' | 'ask' | 'big' | 'slow' | 'unpriced' | 'hunks' | 'feature' | 'explain' | 'tests' | 'uneven';

export const sandbox: Sandbox = {
  name: 'runsc',
  label: 'gVisor',
  protects: 'The tests talk to a kernel of their own (gVisor), not to yours. They have no network, see none of your files but a copy of this folder, and cannot outlive their limits.',
  warnings: [],
};

const ev = <K extends Kind>(wait: number, kind: K, data: Payloads[K]): Beat => ({ wait, kind, data }) as Beat;

function tests(red: Record<string, string>, ids: string[]): Test[] {
  const all = ids.map((id, i): Test => (id in red ? { id, status: 'failed', ms: 31 + i, message: red[id] } : { id, status: 'passed', ms: 3 + ((i * 37) % 90) }));
  return all.sort((a, b) => Number(a.status === 'passed') - Number(b.status === 'passed'));
}

function run(red: Record<string, string>, ids: string[], ms: number): Run {
  const ts = tests(red, ids);
  const failed = ts.filter((t) => t.status === 'failed').length;
  return { runtime: 'runsc', command: ['python3', '-m', 'pytest', '-q'], passed: ts.length - failed, failed, skipped: 0, tests: ts, exit_code: failed ? 1 : 0, ms, log: 'log' };
}

const section = (lines: string[]) => /^(?:def|class) \w+.*/.exec([...lines].reverse().find((l) => /^(def|class) /.test(l)) ?? '')?.[0] ?? '';

/** hunks cuts two texts into hunks of three lines of context, as the Go side does. */
export function hunks(before: string, after: string): Hunk[] {
  const [a, b] = [before.split(/(?<=\n)/), after.split(/(?<=\n)/)];
  const [textA, textB] = [Text.of(before.split('\n')), Text.of(after.split('\n'))];
  const line = (t: Text, pos: number) => (pos > t.length ? t.lines + 1 : t.lineAt(pos).number);
  const places = before && after ? Chunk.build(textA, textB, { scanLimit: 100_000 }).map((c) => ({ a0: line(textA, c.fromA), a1: c.fromA === c.toA ? line(textA, c.fromA) : line(textA, c.toA), b0: line(textB, c.fromB), b1: c.fromB === c.toB ? line(textB, c.fromB) : line(textB, c.toB) }))
    : [{ a0: 1, a1: before ? a.length + 1 : 1, b0: 1, b1: after ? b.length + 1 : 1 }];
  const groups: (typeof places)[] = [];
  for (const p of places) {
    const last = groups.at(-1)?.at(-1);
    if (last && p.a0 - last.a1 <= 6) groups.at(-1)?.push(p);
    else groups.push([p]);
  }
  return groups.map((g): Hunk => {
    const [first, last] = [g[0] as (typeof places)[number], g[g.length - 1] as (typeof places)[number]];
    const from = Math.max(1, first.a0 - 3);
    const to = Math.min(before ? a.filter(Boolean).length + 1 : 1, last.a1 + 3);
    const lines: PatchLine[] = [];
    let at = from;
    for (const p of g) {
      lines.push(...a.slice(at - 1, p.a0 - 1).map((text): PatchLine => ({ op: ' ', text })), ...a.slice(p.a0 - 1, p.a1 - 1).map((text): PatchLine => ({ op: '-', text })), ...b.slice(p.b0 - 1, p.b1 - 1).map((text): PatchLine => ({ op: '+', text })));
      at = p.a1;
    }
    lines.push(...a.slice(at - 1, to - 1).map((text): PatchLine => ({ op: ' ', text })));
    const real = lines.filter((l) => l.text !== '');
    const count = (not: string) => real.filter((l) => l.op !== not).length;
    return { old_start: before ? from : 0, old_lines: count('+'), new_start: after ? first.b0 - (first.a0 - from) : 0, new_lines: count('-'), section: section(a.slice(0, first.a0 - 1)), lines: real };
  });
}

export function diffOf(fs: FakeFile[]): DiffFile[] {
  return fs.map((f) => {
    const hs = hunks(f.before ?? '', f.after ?? '');
    const count = (op: string) => hs.flatMap((h) => h.lines ?? []).filter((l) => l.op === op).length;
    return { path: f.path, status: f.before === null ? 'added' : 'modified', before: f.before, after: f.after, added: count('+'), removed: count('-'), hunks: hs, too_large: false };
  });
}

function patchOf(fs: FakeFile[]): Patch {
  return { files: diffOf(fs).map((d) => ({ path: d.path, status: d.status, before: 'b1', after: 'a1', hunks: d.hunks })) };
}

function statOf(fs: FakeFile[]) {
  return diffOf(fs).reduce((s, d) => ({ added: s.added + d.added, removed: s.removed + d.removed }), { added: 0, removed: 0 });
}

function say(step: number, text: string): Beat[] {
  return text.split(/(?<= )/).map((word) => ({ wait: 28, text: word, step }));
}

function step(n: number, text: string, tool: string, args: unknown, priced: boolean, usage: [number, number]): Beat[] {
  const raw = JSON.stringify(args);
  return [
    ev(80, 'step.started', { step: n }),
    ev(20, 'model.requested', { step: n, tokens: usage[0], window: 32768, body: 'request' }),
    ...say(n, text),
    ev(60, 'model.replied', {
      step: n,
      message: { role: 'assistant', text, calls: [{ id: `c${n}`, name: tool, args: raw }] },
      stop: 'calls',
      usage: { known: true, input: usage[0], output: usage[1] },
      micro_usd: 0,
      priced,
      ms: 700 + n * 130,
      body: 'request',
      reflects: n === 5 ? 'c4' : undefined,
    }),
    ev(10, 'tool.called', { step: n, call_id: `c${n}`, tool, args: raw, verdict: 'allow' }),
  ];
}

function done(n: number, tool: string, summary: string, text: string, ms: number, more: Partial<Payloads['tool.finished']> = {}): Beat {
  return ev(Math.min(ms, 500), 'tool.finished', { step: n, call_id: `c${n}`, tool, ok: true, summary, text, ms, ...more });
}

const redMessage = "AttributeError: 'NoneType' object has no attribute 'city'";
const both = [...oldTests, newTest];

export function certificate(over: Partial<Certificate>): Certificate {
  return {
    state: 'proven', reasons: [], red_to_green: [newTest], broken: [], pre_existing: [], flaky: [], infrastructure: [], integrity: [], still_green: 14,
    skipped: 0, not_covered: ['The proof says what these tests say, on this machine: it does not say that the code is right.'], runtime: 'runsc', runtime_label: 'gVisor',
    warnings: [], command: ['python3', '-m', 'pytest', '-q'], dir: '', base_hash: 'base', patch_hash: 'patch-2', baseline_ms: 912, patched_ms: 1140,
    issued: '2026-01-12T10:31:09Z', reruns: 3, base: 'host',
    toolchain: [{ name: 'python', version: '3.11.2', path: '/usr/bin/python3' }, { name: 'pytest', version: '7.2.1', path: '' }],
    limits: { wall: 600e9, memory: 2 * 1024 ** 3, cpus: 2, processes: 1024, output: 1024 ** 2, disk: 2 * 1024 ** 3 }, static: [], uncovered: [], ...over,
  };
}

/** testing: what is told of a suite of 212 tests while it runs for ms, of the same suite before took beforehand. */
function testing(ms: number, before = 0): Beat[] {
  const every = 500;
  return Array.from({ length: Math.ceil(ms / every) }, (_, i): Beat => {
    const at = (i + 1) * every;
    const done = Math.min(212, Math.round((212 * at) / ms));
    return { wait: every, tests: { done, total: before ? 212 : 0, about: before > 0, part: 0, parts: 0, ms: at, last_ms: before, rate: at < 2000 ? 0 : done / (at / 1000), left_ms: before && at >= 2000 ? ms - at : 0, over: at >= ms } };
  });
}

/** opening: everything up to the first model call. */
export function opening(o: { task: string; model: Payloads['session.started']['model']; limits: Payloads['session.started']['limits']; askEdits: boolean; kind?: TaskKind; kindBy?: 'person' | 'text'; slow?: boolean; images?: ModelImage[] }): Beat[] {
  const baseline = run({}, oldTests, 912);
  return [
    ev(0, 'session.started', {
      version: '0.1.0', folder, task: o.task, model: o.model, limits: o.limits, approval: 'ask', ask_edits: o.askEdits, branch: 'main', commit: '4be1d07', base_hash: 'base', task_kind: o.kind ?? 'fix', task_kind_by: o.kindBy ?? 'text',
    }),
    ev(0, 'message', { text: o.task, images: o.images }),
    { wait: 10, phase: 'Copying the folder' },
    ev(260, 'sandbox.ready', sandbox),
    { wait: 10, phase: 'Running 14 tests before any change' },
    ev(10, 'tests.started', { command: baseline.command, why: 'baseline' }),
    ...(o.slow ? testing(8_000) : []),
    ev(900, 'baseline.finished', { run: baseline }),
    { wait: 0, phase: 'Waiting for the model' },
  ];
}

const invoices = files[0] as FakeFile;
const testFile = files[1] as FakeFile;

/** work: the model's steps up to finish, for a scene. */
export function work(scene: Scene): Beat[] {
  const priced = scene !== 'unpriced';
  const search = step(1, 'See what is true before changing anything: where is the billing address read?', 'search_code', { query: 'billing address' }, priced, [2140, 38]);
  const found = done(1, 'search_code', '6 places in 4 files, first app/invoices.py:48 render_invoice', 'app/invoices.py:48-56 render_invoice function\n  address = customer.billing_address\n  city = address.city\n…', 11, { cut: true, full: 'search' });
  const read = step(2, '', 'read_file', { path: 'app/invoices.py', start_line: 41, end_line: 88 }, priced, [2610, 24]);
  const text = done(2, 'read_file', 'app/invoices.py, lines 41 to 82 of 82', (invoices.before ?? '').split('\n').slice(40).map((l, i) => `${i + 41}\t${l}`).join('\n'), 2);
  if (scene === 'limit') return [...search, found, ...read, text, ...looking()];
  if (scene === 'explain') return [...search, found, ...read, text, ...step(3, '', 'finish', { summary: answer }, true, [2900, 120]), done(3, 'finish', '', '', 0), ev(10, 'session.finished', { outcome: 'answered', message: answer, patch: '', certificate: null, steps: 3, usd: 0, tokens: 7800, applied: false })];
  if (scene === 'error') return [...search, found, ev(80, 'step.started', { step: 2 }), ev(10, 'model.requested', { step: 2, tokens: 2610, window: 32768 }), ...failing()];
  const feature = scene === 'feature';
  const writeTest = step(3, 'The city is read before the address is checked. First a test that shows it.', 'apply_patch', { edits: [{ path: 'tests/test_invoices.py', old: '', new: 'def test_invoice_without_billing_address…' }] }, priced, [3320, 166]);
  const runRed = step(4, '', 'run_tests', { paths: ['tests/test_invoices.py'] }, priced, [3560, 22]);
  const fix = step(5, 'The endpoint should answer with no city. The smallest change is in `render_invoice`.', 'apply_patch', { edits: [{ path: 'app/invoices.py', old: '    city = address.city', new: '    # Not every…' }] }, priced, [4010, 121]);
  const runGreen = step(6, '', 'run_tests', {}, priced, [4280, 18]);
  const finish = step(7, '', 'finish', { summary: 'render_invoice read the city of an address that may be missing.' }, priced, [4520, 61]);
  const redTests = run({ [newTest]: redMessage }, both.filter((t) => t.startsWith('tests/test_invoices')), 1210);
  return [
    ...search, found, ...read, text,
    ...(feature ? asking() : []),
    ...writeTest,
    ...(scene === 'ask' ? [{ wait: 100, ask: 'tests/test_invoices.py  +7 −0' } satisfies Beat] : []),
    done(3, 'apply_patch', 'tests/test_invoices.py +7 −0', 'applied: tests/test_invoices.py +7 -0', 6),
    ev(5, 'patch.changed', { step: 3, patch: patchOf([testFile]), hash: 'patch-1', stat: statOf([testFile]) }),
    { wait: 10, phase: 'Running 7 tests' },
    ...runRed,
    done(4, 'run_tests', '1 failed, 6 passed', `FAILED ${newTest}\n${redMessage}\n\napp/invoices.py:51: AttributeError`, 1210, { run: redTests }),
    { wait: 0, phase: 'Waiting for the model' },
    ...fix,
    done(5, 'apply_patch', 'app/invoices.py +2 −1', 'applied: app/invoices.py +2 -1', 5),
    ev(5, 'patch.changed', { step: 5, patch: patchOf(files), hash: 'patch-2', stat: statOf(files) }),
    { wait: 10, phase: 'Running 15 tests' },
    ...(feature ? [ev(5, 'context.compacted', compaction)] : []),
    ...runGreen,
    done(6, 'run_tests', '15 passed', '15 passed in 0.98s', 1090, { run: run({}, both, 1090) }),
    ...finish,
    done(7, 'finish', '', 'the system proves the patch now', 0, scene === 'feature' ? { part: { number: 1, summary: 'The endpoint answers without a city.', patch_hash: 'patch-2', gained: [newTest] } } : {}),
    { wait: 10, phase: 'Running the tests with the patch' },
    ev(10, 'proof.started', { patch_hash: 'patch-2' }),
    ...(scene === 'slow' ? testing(9_000, 8_000) : []),
    { wait: 900, phase: 'Running the new test on the untouched copy' },
    { wait: 700, phase: 'Running the new test 3 more times' },
    ...proof(scene),
  ];
}

const answer = 'The city comes from `customer.billing_address.city`.\n\n`render_invoice` (app/invoices.py:48) reads it for the endpoint, and `render_pdf` (app/invoices.py:70) for the page. Both assume that there is an address; the import leaves it empty when the shop sends none.';

const criteria = [
  { id: 'C1', text: 'An invoice of a customer without an address is answered with status 200 and no city.' },
  { id: 'C2', text: 'With an address the answer stays as it was.' },
  { id: 'C3', text: 'The list shows such an invoice too.' },
];

const compaction: Payloads['context.compacted'] = {
  step: 6, from: 26_400, to: 7_900, window: 32_768, kept: 2, how: 'extract', usage: { known: false, input: 0, output: 0 }, micro_usd: 0, priced: true,
  text: 'Goal: answer without an address.\nCriteria: C1, C2, C3.\nDiff so far: tests/test_invoices.py +7, app/invoices.py +2 -1.\nTests: 15 passed.',
};

/** asking: a question to the person, then what the result is held to. */
function asking(): Beat[] {
  return [
    ev(50, 'question.asked', { step: 2, text: 'Should the list show an invoice without a city too, or leave it out?' }),
    ev(50, 'criteria.written', { step: 3, by: 'model', items: criteria }),
  ];
}

function proof(scene: Scene): Beat[] {
  const review = ev(10, 'review.asked', { patch_hash: 'patch-2', summary: 'render_invoice read the city of an address that may be missing. It now answers with no city, and a test holds that.',
    ...(scene === 'feature' && {
      criteria: criteria.map((c, i) => ({ ...c, tests: i === 0 ? ['tests/test_invoices.py:49'] : i === 1 ? ['tests/test_invoices.py:52'] : [] })),
      scrutiny: [{ file: 'app/invoices.py', line: 51, kind: 'money', why: 'the path is about invoices' }],
    }),
    ...(scene === 'uneven' && { scrutiny: [{ file: 'src/generated/uneven.ts', line: 21, kind: 'money', why: 'to have marks beside the lines' }] }),
  });
  if (scene === 'not_proven') {
    const broken = 'tests/test_routes.py::test_list_is_paged';
    return [
      ev(800, 'proof.finished', {
        state: 'not_proven',
        certificate: certificate({
          state: 'not_proven', red_to_green: [newTest], broken: [broken], still_green: 13,
          reasons: ['1 test that was green before the patch is red with it.'],
          integrity: [{ file: 'tests/test_invoices.py', line: 49, rule: 'assertion removed', text: 'assert response.status == 404' }],
          uncovered: [{ file: 'app/invoices.py', first: 51, last: 52 }], static: [{ tool: 'ruff', file: 'app/invoices.py', line: 52, rule: 'E501', text: 'Line too long (101 > 88)' }],
          pre_existing: ['tests/test_money.py::test_rounding[half-even]'], not_covered: ['No test executed 2 lines of the change: app/invoices.py:51-52.', 'Of some changed files coverage is not known.'], warnings: ['This machine cannot limit the memory of a container: a test could use all of it.'],
        }),
        run: run({ [broken]: 'assert 21 == 20' }, both, 1180),
      }),
      review,
    ];
  }
  if (scene === 'tests') {
    const checked = '1 new test passes, and failed when a line of the code that it runs was changed on purpose. 14 tests of before still do.';
    return [
      ev(800, 'proof.finished', {
        state: 'not_proven',
        certificate: certificate({
          state: 'not_proven', red_to_green: [], reasons: ['Tests for code that is right turn from red to green only when the code is broken.'], checked,
          breaks: [{ file: 'app/invoices.py', line: 51, was: 'if address is None:', now: 'if address is not None:', tests: [newTest] }],
        }),
        run: run({}, both, 1140),
      }),
      ev(10, 'review.asked', { patch_hash: 'patch-2', summary: 'A test for an invoice without an address.', label: checked }),
    ];
  }
  const covering = criteria.map((k, i) => ({ ...k, tests: i === 2 ? [] : [newTest], places: i === 0 ? ['tests/test_invoices.py:49'] : i === 1 ? ['tests/test_invoices.py:52'] : [] }));
  return [ev(800, 'proof.finished', { state: 'proven', certificate: certificate(scene === 'feature' ? { criteria: covering } : {}), run: run({}, both, 1140) }), review];
}

function looking(): Beat[] {
  const more = Array.from({ length: 6 }, (_, i) => [
    ...step(i + 3, i % 2 ? '' : 'The address may also be read somewhere else.', i % 2 ? 'read_file' : 'search_code', i % 2 ? { path: 'app/routes.py' } : { query: 'address city' }, true, [3000 + i * 400, 30]),
    done(i + 3, i % 2 ? 'read_file' : 'search_code', i % 2 ? 'app/routes.py, lines 1 to 64 of 64' : '3 places in 2 files', '…', 12),
  ]).flat();
  return [
    ...more,
    ev(10, 'limit.reached', { limit: 'steps', message: 'The limit of 8 steps was reached. Raise it, or say more exactly what is wrong.' }),
    ev(10, 'session.finished', {
      outcome: 'limit', message: 'Stopped after 8 of 8 steps.', patch: '', certificate: null, steps: 8, usd: 0, tokens: 21480, applied: false,
      tried: ['searched “billing address”', 'read app/invoices.py', 'searched “address city”', 'read app/routes.py'], still_red: [],
    }),
  ];
}

function failing(): Beat[] {
  const message = 'Ollama is not running at http://127.0.0.1:11434: start it with `ollama serve`, or choose another model.';
  return [
    ev(300, 'model.failed', { step: 2, code: 'unavailable', message, attempt: 1, wait_ms: 1000 }),
    ev(900, 'model.failed', { step: 2, code: 'unavailable', message, attempt: 2, final: true }),
    ev(10, 'session.finished', { outcome: 'error', message, patch: '', certificate: null, steps: 2, usd: 0, tokens: 2178, applied: false, tried: ['searched “billing address”'] }),
  ];
}

/** again: what a rejection with a comment leads to. */
export function again(first: number): Beat[] {
  return [
    ...step(first, 'Right. The same address is used by the list, which goes through the same function, so it holds there too. I run everything again.', 'run_tests', {}, true, [5020, 48]),
    done(first, 'run_tests', '15 passed', '15 passed in 0.97s', 1080, { run: run({}, both, 1080) }),
    { wait: 10, phase: 'Running the tests with the patch' },
    ev(10, 'proof.started', { patch_hash: 'patch-2' }),
    ...proof('proven'),
  ];
}

/** proveChoice proves what the person chose, without the model. */
export function proveChoice(hash: string): Beat[] {
  return [
    { wait: 10, phase: 'Running the tests with what you chose' },
    ev(10, 'proof.started', { patch_hash: hash }),
    ev(600, 'proof.finished', { state: 'proven', certificate: certificate({ patch_hash: hash }), run: run({}, both, 1140) }),
    ev(10, 'review.asked', { patch_hash: hash, summary: 'render_invoice read the city of an address that may be missing. It now answers with no city, and a test holds that.' }),
  ];
}
