import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describe as inWords, parse } from '../src/index.js';

const cases = [
  ['* * * * *', 'every minute'],
  ['@hourly', 'at minute 0 of every hour'],
  ['30 6,18 * * *', 'at 06:30 and 18:30'],
  ['0 9 * * mon-wed', 'at 09:00 on Monday, Tuesday and Wednesday'],
  ['0 9 1 jan,jul *', 'at 09:00 on day 1 in January and July'],
  ['0 9 1 * mon', 'at 09:00 on day 1 or on Monday'],
];

for (const [text, words] of cases) {
  test(`describes "${text}"`, () => {
    assert.equal(inWords(parse(text)), words);
  });
}
