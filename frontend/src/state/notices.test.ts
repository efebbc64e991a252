// What the desktop is told: enough to decide whether to look, and nothing of the repository.

import { describe, expect, test } from 'vitest';
import type { Outcome, SessionState } from '../api/types';
import { asks, over } from './notices';

const secret = 'AKIA-very-secret';
const session = (x: Partial<SessionState>): SessionState =>
  ({
    id: 's1', folder: '/home/ada/work/shop', task: secret, question: secret, summary: secret, outcome: 'review', proof: 'proven', applied: false,
    certificate: { state: 'proven', reasons: [secret], red_to_green: [`tests/${secret}.py::a`, 'b'], still_green: 212, broken: [], integrity: [] },
    ...x,
  }) as unknown as SessionState;

describe('what is told when a run ends', () => {
  test.each<[string, Partial<SessionState>, string, string]>([
    ['proven', {}, 'Proven — shop', '2 red → green, 212 still green, 0 broken. A patch waits for your decision.'],
    ['not proven', { proof: 'not_proven' }, 'Not proven — shop', '2 red → green, 212 still green, 0 broken. A patch waits for your decision.'],
    ['a patch without a proof', { proof: '', certificate: null }, 'Waiting for you — shop', 'A patch waits for your decision.'],
    ['a question', { outcome: 'waiting' }, 'Asks you — shop', 'The model has a question; it goes on when you answer.'],
    ['a limit', { outcome: 'limit' }, 'Stopped at a limit — shop', 'A limit that you set stopped it.'],
    ['an error', { outcome: 'error' }, 'Failed — shop', 'Something kept it from going on.'],
    ['the end of a folder with blanks', { folder: '/srv/my shop/' }, 'Proven — my shop', '2 red → green, 212 still green, 0 broken. A patch waits for your decision.'],
  ])('%s', (_, x, title, text) => expect(over(session(x))).toEqual({ session: 's1', title, text }));
  test('what the person did is not told', () => {
    expect(over(session({ outcome: 'cancelled' }))).toBeNull();
    expect(over(session({ outcome: 'running' }))).toBeNull();
  });
  test('nothing of the repository or of the model', () => {
    const all = (['review', 'waiting', 'answered', 'proven', 'not_proven', 'limit', 'error'] as Outcome[]).map((outcome) => over(session({ outcome })));
    expect(JSON.stringify([...all, asks(session({}))])).not.toContain(secret);
  });
});

test('a question before an act', () => {
  expect(asks(session({}))).toEqual({ session: 's1', title: 'Asks you — shop', text: 'Something waits for you to allow or refuse it.' });
});
