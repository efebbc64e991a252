import { describe, expect, test } from 'vitest';
import type { Event, Kind, Payloads } from '../api/types';
import { opening, work, type Beat, type Scene } from '../api/fake/script';
import { elapsed, empty, outcomeOf, reduce, reduceAll, stepLimit, type SessionView, type StepItem } from './session';

const start = Date.parse('2026-01-12T10:30:00Z');
const limits = { steps: 30, micro_usd: 1_000_000, tokens: 0, wall: 20 * 60e9 };
const model = { provider: 'ollama', name: 'qwen3-coder', label: 'qwen3-coder', local: true, window: 32768 };

/** log numbers and dates events, a second apart. */
function log(...items: { [K in Kind]: [K, Payloads[K]] }[Kind][]): Event[] {
  return items.map(([kind, data], i) => ({ seq: i + 1, session: 's', time: new Date(start + i * 1000).toISOString(), kind, data }) as Event);
}

function played(scene: Scene): Event[] {
  const beats: Beat[] = [...opening({ task: 'it is wrong', model, limits, askEdits: false }), ...work(scene)];
  return log(...beats.flatMap((b) => ('kind' in b ? [[b.kind, b.data] as never] : [])));
}

const started: Payloads['session.started'] = {
  version: '1', folder: '/f', task: 'it is wrong', model, limits, approval: 'ask', base_hash: 'b',
};
const run: Payloads['baseline.finished']['run'] = { runtime: 'runsc', command: ['t'], passed: 3, failed: 1, skipped: 0, tests: null, exit_code: 1, ms: 40 };
const usage = { known: true, input: 100, cache_read: 50, output: 10 };
const reply = (step: number, over: Partial<Payloads['model.replied']> = {}): ['model.replied', Payloads['model.replied']] => [
  'model.replied', { step, message: { role: 'assistant', text: 'hm' }, stop: 'calls', usage, micro_usd: 7, priced: true, ms: 5, ...over },
];

describe('the fold', () => {
  test('a search is held to time, a model to steps too', () => {
    const of = (provider: string) => stepLimit(reduceAll(empty('s'), log(['session.started', { ...started, model: { ...model, provider } }])));
    expect([of('ollama'), of('builtin'), stepLimit(empty('s'))]).toEqual([30, 0, 0]);
  });

  test('what the last step said is not said again at the end', () => {
    const gaveUp = 'No fix was found.\nA failing test: t.';
    const ended = (message: string) => reduceAll(empty('s'), log(['session.started', started], ['step.started', { step: 1 }], reply(1, { message: { role: 'assistant', text: gaveUp } }),
      ['session.finished', { outcome: 'not_proven', message, patch: '', certificate: null, steps: 1, usd: null, tokens: 0, applied: false }])).items.at(-1);
    expect(ended(`${gaveUp}\n`)).toMatchObject({ type: 'end', message: '' });
    expect(ended('It went in circles.')).toMatchObject({ type: 'end', message: 'It went in circles.' });
  });

  test('another model that the person chose after an outage', () => {
    const other = { ...model, name: 'another', label: 'Another', window: 9_000 };
    const v = reduceAll(empty('s'), log(['session.started', started], ['model.chosen', { model: other, by: 'person' }], ['step.started', { step: 2 }]));
    expect(v.started?.model.label).toBe('Another');
    expect(v.window).toBe(9_000);
    expect(v.finished).toBeNull();
  });

  test('the proven parts of a larger change, in their order', () => {
    const end = (number: number, summary: string): ['tool.finished', Payloads['tool.finished']] => ['tool.finished', { step: number, call_id: 'x', tool: 'finish', ok: true, summary: '', text: '', ms: 1, part: { number, summary, patch_hash: 'p', gained: null } }];
    const v = reduceAll(empty('s'), log(['session.started', started], end(1, 'parse'), end(2, 'print')));
    expect(v.parts.map((p) => p.summary)).toEqual(['parse', 'print']);
  });

  test('a whole proven session', () => {
    const v = reduceAll(empty('s'), played('proven'));
    expect(outcomeOf(v)).toBe('review');
    expect(v.items.map((i) => i.type)).toEqual(['message', 'baseline', 'step', 'step', 'step', 'step', 'step', 'step', 'step', 'proof', 'review']);
    expect(v.proof).toMatchObject({ state: 'proven', hash: 'patch-2' });
    expect(v.steps).toBe(7);
    expect(v.tokens).toBe(24_440 + 450);
    expect(v.patch?.stat).toEqual({ added: 9, removed: 1 });
    expect(v.since).toBe(0);
  });

  test('event by event is the same as all at once', () => {
    const events = played('not_proven');
    const one = events.reduce(reduce, empty('s'));
    expect(one).toEqual(reduceAll(empty('s'), events));
  });

  test('an event seen twice changes nothing', () => {
    const events = played('proven');
    const v = reduceAll(empty('s'), events);
    expect(reduce(v, events[3] as Event)).toBe(v);
    expect(reduceAll(v, events)).toBe(v);
  });

  test('the state before is left as it was', () => {
    const events = played('proven');
    let v = empty('s');
    for (const e of events) {
      const before = JSON.stringify(v);
      const after = reduce(v, e);
      expect(JSON.stringify(v)).toBe(before);
      v = after;
    }
  });

  test('a kind from a newer program is passed over', () => {
    const odd = { seq: 1, session: 's', time: '2026-01-12T10:30:00Z', kind: 'moon.landed', data: {} } as unknown as Event;
    expect(reduce(empty('s'), odd)).toMatchObject({ seq: 1, items: [] });
  });

  test('calls and results of one step find each other', () => {
    const called = (id: string): ['tool.called', Payloads['tool.called']] => ['tool.called', { step: 1, call_id: id, tool: 'read_file', args: '{}', verdict: 'allow' }];
    const finished = (id: string): ['tool.finished', Payloads['tool.finished']] => ['tool.finished', { step: 1, call_id: id, tool: 'read_file', ok: true, summary: id, text: '', ms: 1 }];
    const v = reduceAll(empty('s'), log(['session.started', started], ['step.started', { step: 1 }], reply(1), called('a'), called('b'), finished('b')));
    const step = v.items.find((i) => i.type === 'step') as StepItem;
    expect(step.calls.map((c) => [c.id, c.result?.summary ?? null])).toEqual([['a', null], ['b', 'b']]);
  });

  test('the same call id twice fills the open one', () => {
    const called: ['tool.called', Payloads['tool.called']] = ['tool.called', { step: 1, call_id: 'x', tool: 'read_file', args: '{}', verdict: 'allow' }];
    const finished = (summary: string): ['tool.finished', Payloads['tool.finished']] => ['tool.finished', { step: 1, call_id: 'x', tool: 'read_file', ok: true, summary, text: '', ms: 1 }];
    const v = reduceAll(empty('s'), log(['step.started', { step: 1 }], called, finished('one'), called, finished('two')));
    const step = v.items.find((i) => i.type === 'step') as StepItem;
    expect(step.calls.map((c) => c.result?.summary)).toEqual(['one', 'two']);
  });
});

describe('meters', () => {
  const two = (second: Partial<Payloads['model.replied']>) =>
    reduceAll(empty('s'), log(['session.started', started], ['step.started', { step: 1 }], reply(1), ['step.started', { step: 2 }], reply(2, second)));

  test('every bucket counts', () => {
    expect(two({})).toMatchObject({ tokens: 320, microUsd: 14, priced: true, tokensKnown: true, context: 150, window: 32768, replies: 2 });
  });
  test('one unknown price makes the sum unknown', () => {
    expect(two({ priced: false, micro_usd: 0 }).priced).toBe(false);
  });
  test('one unknown usage makes the sum a lower bound', () => {
    expect(two({ usage: { known: false, input: 0, output: 0 } })).toMatchObject({ tokens: 160, tokensKnown: false, context: 150 });
  });
  test('waiting for a person does not count as time', () => {
    const v = reduceAll(empty('s'), log(['session.started', started], ['review.asked', { patch_hash: 'p', summary: '' }]));
    expect(elapsed(v, start + 3_600_000)).toBe(1000);
    const on = reduce(v, { seq: 3, session: 's', time: new Date(start + 60_000).toISOString(), kind: 'review.answered', data: { decision: 'reject', by: 'person', comment: 'no' } });
    expect(elapsed(on, start + 65_000)).toBe(6000);
  });
});

describe('what a patch and its proof stand for', () => {
  const patch = (hash: string): ['patch.changed', Payloads['patch.changed']] => ['patch.changed', { step: 1, patch: { files: [] }, hash, stat: { added: 1, removed: 0 } }];
  const proof = (hash: string): ['proof.finished', Payloads['proof.finished']] => ['proof.finished', { state: 'proven', certificate: { patch_hash: hash } as never, run }];

  test('a newer patch takes the proof of the older one away', () => {
    const v = reduceAll(empty('s'), log(['step.started', { step: 1 }], patch('1'), proof('1'), patch('2')));
    expect(v.proof).toBeNull();
  });
  test('the same patch again keeps it', () => {
    const v = reduceAll(empty('s'), log(['step.started', { step: 1 }], patch('1'), proof('1'), patch('1')));
    expect(v.proof?.state).toBe('proven');
  });
  test('a write that failed leaves the review open', () => {
    const v = reduceAll(empty('s'), log(['review.asked', { patch_hash: '1', summary: '' }], ['review.answered', { decision: 'approve', by: 'person' }], ['apply.failed', { code: 'conflict', message: 'a.py changed' }]));
    expect(outcomeOf(v)).toBe('review');
    expect(v.items.at(-1)).toMatchObject({ type: 'failed', code: 'conflict' });
  });
  test('writing, taking back and writing again', () => {
    const step = (v: SessionView, seq: number, kind: 'patch.applied' | 'patch.undone') => reduce(v, { seq, session: 's', time: '2026-01-12T10:31:00Z', kind, data: { files: ['a.py'] } });
    let v = step(empty('s'), 1, 'patch.applied');
    expect(v.written).toEqual({ files: ['a.py'], undone: false });
    v = step(v, 2, 'patch.undone');
    expect(v.written?.undone).toBe(true);
    v = step(v, 3, 'patch.applied');
    expect(v.written?.undone).toBe(false);
  });
  test('a session that is resumed is not over', () => {
    const end: ['session.finished', Payloads['session.finished']] = ['session.finished', { outcome: 'cancelled', patch: '', certificate: null, steps: 1, usd: null, tokens: 0, applied: false }];
    const over = reduceAll(empty('s'), log(['session.started', started], end));
    expect(outcomeOf(over)).toBe('cancelled');
    const on = reduce(over, { seq: 3, session: 's', time: new Date(start + 9000).toISOString(), kind: 'step.started', data: { step: 2 } });
    expect(outcomeOf(on)).toBe('running');
    expect(elapsed(on, start + 10_000)).toBe(2000);
  });
});

test('the total that another tool tells is the cost', () => {
  const end = (usd: number | null): ['session.finished', Payloads['session.finished']] => ['session.finished', { outcome: 'not_proven', patch: '', certificate: null, steps: 1, usd, tokens: 0, applied: false }];
  const of = (usd: number | null) => reduceAll(empty('s'), log(['session.started', started], reply(1, { priced: false, micro_usd: 0 }), end(usd)));
  expect([of(0.1).microUsd, of(0.1).priced]).toEqual([100_000, true]);
  expect([of(null).microUsd, of(null).priced]).toEqual([0, false]);
});

test('null lists of Go do not break the fold', () => {
  const v = reduceAll(empty('s'), log(
    ['tests.started', { command: null, why: 'baseline' }],
    ['baseline.finished', { run: { ...run, command: null, tests: null } }],
    ['patch.changed', { step: 1, patch: { files: null }, hash: 'h', stat: { added: 0, removed: 0 }, notes: null }],
    ['patch.applied', { files: null }],
    ['session.finished', { outcome: 'limit', patch: '', certificate: null, steps: 0, usd: null, tokens: 0, applied: true, tried: null, still_red: null }],
  ));
  expect(v.items.map((i) => i.type)).toEqual(['baseline', 'step', 'write', 'end']);
});

test('ten thousand events fold in well under a second', () => {
  const many = log(...Array.from({ length: 2500 }, (_, i): { [K in Kind]: [K, Payloads[K]] }[Kind][] => [
    ['step.started', { step: i + 1 }], reply(i + 1),
    ['tool.called', { step: i + 1, call_id: `c${i}`, tool: 'search_code', args: '{"query":"x"}', verdict: 'allow' }],
    ['tool.finished', { step: i + 1, call_id: `c${i}`, tool: 'search_code', ok: true, summary: '3 places', text: '', ms: 2 }],
  ]).flat());
  const begun = performance.now();
  const v = reduceAll(empty('s'), many);
  expect(v.items).toHaveLength(2500);
  expect(performance.now() - begun).toBeLessThan(2000); // 60 ms on an idle machine
});
