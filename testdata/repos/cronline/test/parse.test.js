import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CronError, parse } from '../src/index.js';

const values = (set) => [...set].sort((a, b) => a - b);

describe('parse', () => {
  test('reads lists, ranges and steps', () => {
    const schedule = parse('1,5-7 */6 10-20/5 * *');
    assert.deepEqual(values(schedule.minute), [1, 5, 6, 7]);
    assert.deepEqual(values(schedule.hour), [0, 6, 12, 18]);
    assert.deepEqual(values(schedule.day), [10, 15, 20]);
  });

  test('reads names in any case', () => {
    const schedule = parse('0 0 * Jan,JUN mon-fri');
    assert.deepEqual(values(schedule.month), [1, 6]);
    assert.deepEqual(values(schedule.weekday), [1, 2, 3, 4, 5]);
  });

  test('takes 7 for Sunday', () => {
    assert.deepEqual(values(parse('0 0 * * 5-7').weekday), [0, 5, 6]);
  });

  test('knows the fields that were left open', () => {
    assert.deepEqual([...parse('0 9 * * mon').any], ['day', 'month']);
  });

  test('expands short forms', () => {
    assert.deepEqual(parse('@weekly'), parse('0 0 * * 0'));
  });

  const refused = [
    ['', 'want 5 fields, have 0'],
    ['* * * *', 'want 5 fields, have 4'],
    ['60 * * * *', 'minute: 60 is not within 0-59'],
    ['* * 0 * *', 'day: 0 is not within 1-31'],
    ['* * * * fri-mon', 'weekday: range fri-mon runs backwards'],
    ['*/0 * * * *', 'minute: step must be at least 1'],
    ['x * * * *', 'minute: "x" is not a number'],
  ];
  for (const [text, message] of refused) {
    test(`refuses "${text}"`, () => {
      assert.throws(() => parse(text), (error) => error instanceof CronError && error.message === message);
    });
  }
});
