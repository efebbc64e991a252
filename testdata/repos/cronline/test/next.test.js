import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { next, parse, upcoming } from '../src/index.js';

const iso = (time) => time && time.toISOString().slice(0, 16);
const runs = (text, from, count) => upcoming(parse(text), new Date(from), count).map(iso);

describe('next', () => {
  test('is strictly later', () => {
    assert.deepEqual(runs('30 6 * * *', '2024-03-08T06:30Z', 2), ['2024-03-09T06:30', '2024-03-10T06:30']);
  });

  test('steps within the hour', () => {
    assert.deepEqual(runs('*/25 9 * * *', '2024-03-08T09:10Z', 3), [
      '2024-03-08T09:25', '2024-03-08T09:50', '2024-03-09T09:00']);
  });

  test('goes over the end of the year', () => {
    assert.equal(iso(next(parse('@yearly'), new Date('2024-12-31T23:59Z'))), '2025-01-01T00:00');
  });

  test('skips months without a 31st', () => {
    assert.deepEqual(runs('0 0 31 * *', '2024-01-31T12:00Z', 2), ['2024-03-31T00:00', '2024-05-31T00:00']);
  });

  test('waits for the leap day', () => {
    assert.equal(iso(next(parse('0 0 29 2 *'), new Date('2096-03-01T00:00Z'))), '2104-02-29T00:00');
  });

  test('gives up on a day that never comes', () => {
    assert.equal(next(parse('0 0 30 2 *'), new Date('2024-01-01T00:00Z')), null);
  });

  test('keeps to the weekday when the day is open', () => {
    assert.deepEqual(runs('0 9 * * mon', '2024-03-08T00:00Z', 2), ['2024-03-11T09:00', '2024-03-18T09:00']);
  });

  test('takes either the day or the weekday when both are given', () => {
    assert.deepEqual(runs('0 9 1 * mon', '2024-03-20T00:00Z', 4), [
      '2024-03-25T09:00', '2024-04-01T09:00', '2024-04-08T09:00', '2024-04-15T09:00']);
  });

  test('finds the 1st even when it is no Monday', () => {
    assert.equal(iso(next(parse('0 9 1 * mon'), new Date('2024-04-29T12:00Z'))), '2024-05-01T09:00');
  });
});
