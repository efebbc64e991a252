import { beforeEach, expect, test, vi } from 'vitest';
import { AppError, type Backend, type Choice, type Event, type Pushed, type SessionInfo, type Topic } from '../api';
import { note } from './choice';
import { Run } from './run.svelte';

const settle = () => new Promise((r) => setTimeout(r, 20));

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (f: () => void) => setTimeout(f, 1));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
});

function event(seq: number): Event {
  return { seq, session: 's', time: '2026-01-12T10:30:00Z', kind: 'message', data: { text: `${seq}` } };
}

/** backend holds events and lets a test push notices, lose them, or fail. */
function backend(info: Partial<SessionInfo> = {}) {
  const events: Event[] = [];
  const listeners = new Map<Topic, (p: never) => void>();
  const calls = { events: 0 };
  const b = {
    events: async (_id: string, after: number, limit: number) => {
      calls.events++;
      await Promise.resolve();
      const page = events.slice(after, after + Math.min(limit, 2));
      return { events: page, more: after + page.length < events.length };
    },
    session: async () => ({ folder: '/f', stale: null, live: true, ...info }),
    diff: async () => ({ hash: '', files: [] }),
    on: (topic: Topic, cb: (p: never) => void) => {
      listeners.set(topic, cb);
      return () => listeners.delete(topic);
    },
  } as unknown as Backend;
  const push = <T extends Topic>(t: T, p: Pushed[T]) => (listeners.get(t) as ((p: Pushed[T]) => void) | undefined)?.(p);
  return { b, events, push, calls, listeners };
}

test('opens a saved session page by page', async () => {
  const f = backend();
  f.events.push(event(1), event(2), event(3), event(4), event(5));
  const run = new Run(f.b, 's');
  await run.open();
  await settle();
  expect(run.view.seq).toBe(5);
  expect(run.view.items).toHaveLength(5);
  run.close();
});

test('a notice pulls what is new, and notices that overlap pull nothing twice', async () => {
  const f = backend();
  const run = new Run(f.b, 's');
  await run.open();
  f.events.push(event(1));
  f.push('notices', [{ session: 's', seq: 1, kind: 'message' }]);
  f.events.push(event(2), event(3));
  f.push('notices', [{ session: 's', seq: 2, kind: 'message' }, { session: 's', seq: 3, kind: 'message' }]);
  await settle();
  expect(run.view.items.map((i) => i.seq)).toEqual([1, 2, 3]);
  run.close();
});

test('a lost notice costs nothing: the next one brings both events', async () => {
  const f = backend();
  const run = new Run(f.b, 's');
  await run.open();
  f.events.push(event(1), event(2));
  f.push('notices', [{ session: 's', seq: 2, kind: 'message' }]);
  await settle();
  expect(run.view.seq).toBe(2);
  run.close();
});

test('a stream that comes back catches up', async () => {
  const f = backend();
  const run = new Run(f.b, 's');
  await run.open();
  f.events.push(event(1));
  f.push('connected', null);
  await settle();
  expect(run.view.seq).toBe(1);
  run.close();
});

test('other sessions do not matter', async () => {
  const f = backend();
  const run = new Run(f.b, 's');
  await run.open();
  const before = f.calls.events;
  f.push('notices', [{ session: 'other', seq: 9, kind: 'message' }]);
  f.push('deltas', [{ session: 'other', step: 1, text: 'x' }]);
  f.push('phase', { session: 'other', text: 'x' });
  await settle();
  expect([f.calls.events, run.live.text, run.phaseText]).toEqual([before, '', '']);
  run.close();
});

test('a closed session listens no more', async () => {
  const f = backend();
  const run = new Run(f.b, 's');
  await run.open();
  run.close();
  expect([...f.listeners.keys()]).toEqual([]);
});

test('a session that cannot be opened says why', async () => {
  const f = backend();
  f.b.session = async () => {
    throw new AppError('not_found', 'there is no session s');
  };
  const run = new Run(f.b, 's');
  await run.open();
  expect(run.error?.code).toBe('not_found');
  run.close();
});

test('an act that fails leaves a notice and can be tried again', async () => {
  const f = backend();
  let n = 0;
  f.b.approve = async () => {
    if (n++ === 0) throw new AppError('conflict', 'a.py changed');
    return { files: ['a.py'] };
  };
  const run = new Run(f.b, 's');
  await run.open();
  expect(await run.approve()).toBe(false);
  expect(run.notice?.code).toBe('conflict');
  expect(run.busy).toBe('');
  expect(await run.approve()).toBe(true);
  expect(run.notice).toBeNull();
  run.close();
});

test('two clicks are one act', async () => {
  const f = backend();
  let n = 0;
  f.b.approve = async () => {
    n++;
    await settle();
    return { files: [] };
  };
  const run = new Run(f.b, 's');
  await run.open();
  await Promise.all([run.approve(), run.approve()]);
  expect(n).toBe(1);
  run.close();
});

test('goes on with its own model, or with the one that the person chose', async () => {
  const f = backend();
  const asked: string[] = [];
  Object.assign(f.b, { resume: async (id: string) => void asked.push(id), resumeWith: async (id: string, model: string) => void asked.push(`${id} ${model}`) });
  const run = new Run(f.b, 's');
  await run.open();
  await run.resume();
  await run.resume('ollama/qwen3');
  expect(asked).toEqual(['s', 's ollama/qwen3']);
  run.close();
});

test('an answer that a later question overtook is let go', async () => {
  const f = backend({ can_undo: true });
  const late: ((i: SessionInfo) => void)[] = [];
  const run = new Run(f.b, 's');
  await run.open();
  f.b.session = () => new Promise((r) => late.push(r));
  const both = [run.refresh(), run.refresh()];
  late[1]?.({ ...run.info, can_undo: true } as SessionInfo);
  late[0]?.({ ...run.info, can_undo: false } as SessionInfo);
  await Promise.all(both);
  expect(run.info?.can_undo).toBe(true);
  run.close();
});

test('what another Redgreen has is followed: news of it ask anew who has it', async () => {
  const f = backend({ live: false, owner: null });
  const run = new Run(f.b, 's');
  await run.open();
  expect(run.owner).toBeNull();
  f.b.session = async () => ({ ...run.info, owner: { kind: 'terminal', pid: 7, since: '2026-01-12T10:30:00Z' } }) as SessionInfo;
  f.events.push(event(1));
  f.push('notices', [{ session: 's', seq: 1, kind: 'message' }]);
  await settle();
  expect(run.owner?.kind).toBe('terminal');
  expect(run.running).toBe(false);
  run.close();
});

test('comments that the model has are off a patch that comes back as it was', async () => {
  const f = backend();
  const run = new Run(f.b, 's');
  await run.open();
  let lost = true;
  const sent: Choice[] = [];
  f.b.saveReview = async () => undefined;
  f.b.sendBack = async (_, c) => {
    if (lost) throw new AppError('internal', 'lost');
    sent.push(c);
  };
  run.review.set(note({ ...run.review.now, viewed: ['a.py'] }, 'a.py', 2, 'why?'));
  expect(await run.sendBack('all of it')).toBe(false);
  expect(run.review.now.notes).toHaveLength(1);
  lost = false;
  expect(await run.sendBack('all of it')).toBe(true);
  expect(sent).toMatchObject([{ comment: 'all of it', notes: [{ path: 'a.py', line: 2, text: 'why?' }] }]);
  expect(run.review.now).toMatchObject({ notes: [], viewed: ['a.py'] });
  run.close();
});
