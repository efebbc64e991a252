// The sessions that a Go test writes into testdata/sessions, one event a line, with Go's own fold beside each: both sides
// must come to the same state.

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Event, SessionState } from '../api/types';
import { empty, outcomeOf, reduceAll } from './session';

const dir = join(import.meta.dirname, '../../../testdata/sessions');
const names = existsSync(dir) ? readdirSync(dir).filter((n) => n.endsWith('.jsonl')) : [];

describe('recorded sessions', () => {
  test.each(names)('%s', (name) => {
    const events = readFileSync(join(dir, name), 'utf8').split('\n').filter(Boolean).map((l) => JSON.parse(l) as Event);
    const v = reduceAll(empty(events[0]?.session ?? ''), events);
    expect(v.seq).toBe(events.at(-1)?.seq);
    expect(v.items.length).toBeGreaterThan(0);
    for (const i of v.items) if (i.type === 'step') for (const c of i.calls) expect(c.args, `call ${c.id} was announced`).not.toBe('');
    const go = JSON.parse(readFileSync(join(dir, name.replace(/\.jsonl$/, '.state.json')), 'utf8')) as SessionState;
    expect({ steps: v.steps, micro_usd: v.microUsd, priced: v.priced, outcome: outcomeOf(v), patch: v.patch?.hash ?? '', proof: v.proof?.state ?? '' }).toEqual({
      steps: go.steps, micro_usd: go.micro_usd, priced: go.priced, outcome: go.outcome, patch: go.patch_hash, proof: go.proof,
    });
  });
});

test('there are recorded sessions', () => {
  expect(names.length).toBeGreaterThan(5);
});
