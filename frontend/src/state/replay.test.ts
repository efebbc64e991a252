import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Backend, Diff, Event, SessionInfo, Topic } from '../api';
import { Past, pauseMost } from './past';
import { Replay, type Clock } from './replay.svelte';
import { Run } from './run.svelte';
import { empty, reduceAll } from './session';

const dir = join(import.meta.dirname, '../../../testdata/sessions');
const recorded = (name: string) => readFileSync(join(dir, name), 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l) as Event);
const names = readdirSync(dir).filter((n) => n.endsWith('.jsonl'));

function event(seq: number, seconds: number): Event {
  return { seq, session: 's', time: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(), kind: 'message', data: { text: `${seq}` } };
}

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (f: () => void) => setTimeout(f, 1));
  vi.stubGlobal('cancelAnimationFrame', clearTimeout);
});

describe('the past', () => {
  test.each(names)('%s: after any event it is the fold up to there, in whatever order it is asked', (name) => {
    const events = recorded(name);
    const past = new Past('s', events);
    const ns = events.map((_, i) => i + 1);
    for (const n of [...ns, ...ns.toReversed(), 0, events.length + 5]) expect(past.after(n)).toEqual(reduceAll(empty('s'), events.slice(0, n)));
  });
  test('of ten thousand events any place is shown at once', () => {
    const past = new Past('s', Array.from({ length: 10_000 }, (_, i) => event(i + 1, i)));
    past.after(10_000);
    const begin = performance.now();
    for (let i = 0; i < 200; i++) expect(past.after((i * 7919) % 10_000).seq).toBe((i * 7919) % 10_000);
    expect(performance.now() - begin).toBeLessThan(20_000); // each was folded from its beginning in half a second
  });
  test('a long pause is cut, and a clock that goes back costs nothing', () => {
    const past = new Past('s', [event(1, 0), event(2, 1), event(3, 3600), event(4, 3500), event(5, 3501)]);
    expect(past.moments).toEqual([0, 1000, 1000 + pauseMost, 1000 + pauseMost, 2000 + pauseMost]);
    expect([-1, 0, 999, 1000, 5999, 6000, 1e9].map((m) => past.until(m))).toEqual([0, 1, 1, 2, 2, 4, 5]);
    expect(past.through(3)).toBe(2);
    expect(past.through(Infinity)).toBe(5);
  });
});

/** turned is a clock that a test turns. */
function turned(calm = false) {
  let now = 0;
  let waiting: (() => void) | null = null;
  const clock: Clock = { now: () => now, frame: (f) => ((waiting = f), 1), cancel: () => (waiting = null), calm: () => calm };
  const turn = (ms: number) => {
    now += ms;
    const f = waiting;
    waiting = null;
    f?.();
    return f !== null;
  };
  return { clock, turn };
}

const none = { diffAt: async (): Promise<Diff> => ({ hash: '', files: [] }) } as unknown as Backend;

describe('a replay', () => {
  const events = [event(1, 0), event(2, 1), event(3, 2), event(4, 4)];
  test('plays in the time that it took, divided by the speed, and ends', () => {
    const { clock, turn } = turned();
    const r = new Replay(none, 's', events, clock);
    expect(r.at).toBe(1);
    r.speed = '1';
    r.play();
    turn(999);
    expect(r.at).toBe(1);
    turn(1);
    expect(r.at).toBe(2);
    r.speed = '4';
    turn(250);
    expect(r.at).toBe(3);
    turn(500);
    expect(r.at).toBe(4);
    expect(r.playing).toBe(false);
    expect(turn(1000), 'it asks for no more frames').toBe(false);
    r.toggle(); // once more
    expect([r.at, r.playing]).toEqual([1, true]);
    r.pause();
    expect(turn(1000)).toBe(false);
    expect(r.at).toBe(1);
  });
  test('goes on from where it was put', () => {
    const { clock, turn } = turned();
    const r = new Replay(none, 's', events, clock);
    r.speed = '1';
    r.seek(3);
    r.play();
    turn(1999);
    expect(r.at).toBe(3);
    turn(1);
    expect(r.at).toBe(4);
    r.seek(-5);
    expect([r.at, r.view.seq]).toEqual([1, 1]);
    r.seek(99);
    expect(r.at).toBe(4);
  });
  test('at the highest speed a session of hours plays in seconds', () => {
    const { clock, turn } = turned();
    const r = new Replay(none, 's', Array.from({ length: 3000 }, (_, i) => event(i + 1, i * 10)), clock);
    r.speed = 'max';
    r.play();
    let ms = 0;
    while (r.playing && ms < 60_000) turn(16) && (ms += 16);
    expect(ms).toBeLessThan(4_000);
    expect(r.at).toBe(3000);
  });
  test('who wants little motion sees a picture each half second', () => {
    const { clock, turn } = turned(true);
    const r = new Replay(none, 's', Array.from({ length: 100 }, (_, i) => event(i + 1, i * 0.1)), clock);
    r.speed = '1';
    r.play();
    const seen = new Set<number>();
    for (let i = 0; i < 125; i++) (turn(16), seen.add(r.at)); // two seconds
    expect(seen.size).toBeLessThanOrEqual(5);
    expect(r.at).toBeGreaterThan(15);
  });
  test('the patch of each moment is fetched once, and a late answer does not overtake', async () => {
    const all = recorded('proven.jsonl');
    const asked: number[] = [];
    let late: (() => void) | null = null;
    const b = {
      diffAt: (_: string, seq: number) =>
        new Promise<Diff>((r) => {
          asked.push(seq);
          const hash = reduceAll(empty('s'), all.filter((e) => e.seq <= seq)).patch?.hash ?? '';
          const answer = () => r({ hash, files: [] });
          if (late) answer();
          else late = answer;
        }),
    } as unknown as Backend;
    const r = new Replay(b, 's', all, turned().clock);
    expect(asked).toEqual([]); // nothing is changed yet
    const settle = () => new Promise((f) => setTimeout(f, 5));
    const first = all.findIndex((e) => e.kind === 'patch.changed') + 1;
    r.seek(first);
    r.seek(1);
    (late as unknown as () => void)();
    await settle();
    expect(r.diff).toBeNull();
    r.seek(all.length);
    await settle();
    expect(r.diff?.hash).toBe(r.view.patch?.hash);
    r.seek(first);
    r.seek(all.length);
    await settle();
    expect(asked.length).toBe(new Set(asked.map((s) => reduceAll(empty('s'), all.filter((e) => e.seq <= s)).patch?.hash)).size);
  });
});

test('a run that plays again shows what was, allows nothing, and is as before when it ends', async () => {
  const all = recorded('proven.jsonl');
  const b = {
    events: async (_: string, after: number) => ({ events: all.filter((e) => e.seq > after).slice(0, 7), more: all.some((e) => e.seq > after + 7) }),
    session: async () => ({ folder: '/f', stale: ['a'], live: false, owner: null, can_approve: true, can_undo: true, can_resume: true, outcome: 'proven' }) as unknown as SessionInfo,
    diff: async () => ({ hash: '', files: [] }),
    diffAt: async () => ({ hash: '', files: [] }),
    review: async () => null,
    on: (_: Topic) => () => true,
  } as unknown as Backend;
  const run = new Run(b, 's');
  await run.open();
  const whole = run.view;
  expect([run.playable, run.resendable, run.info?.can_undo]).toEqual([true, true, true]);
  await run.again();
  run.replay?.pause();
  expect(run.replay?.count).toBe(all.length);
  expect([run.view.seq, run.info?.can_approve, run.info?.can_undo, run.info?.can_resume, run.resendable, run.running]).toEqual([1, false, false, false, false, false]);
  expect(run.whole).toBe(whole);
  run.replay?.seek(all.length);
  expect(run.view).toEqual(whole);
  run.endReplay();
  expect(run.view).toBe(whole);
  expect(run.info?.can_undo).toBe(true);
  run.close();
});
