// The table of README.md names tests that are there.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const here = new URL('.', import.meta.url);
const texts = (dir, ends) => readdirSync(new URL(dir, here), { recursive: true }).filter((f) => ends.test(f)).map((f) => readFileSync(new URL(`${dir}/${f}`, here), 'utf8')).join('\n');

test('each test that the table names is there', () => {
  const table = readFileSync(new URL('README.md', here), 'utf8');
  const page = (texts('.', /^[^/]*\.test\.mjs$/) + texts('../src/state', /\.test\.ts$/) + texts('../src/texts', /\.test\.ts$/)).split('\n').filter((l) => /(story|scene|test|describe)\(/.test(l));
  const go = texts('../../app', /_test\.go$/) + texts('../../backend', /_test\.go$/);
  const named = [...table.matchAll(/"([^"]+)"/g)].map((m) => m[1]);
  const missing = named.filter((n) => !page.some((l) => n.split('…').every((part) => l.includes(part))));
  assert.ok(named.length > 30);
  assert.deepEqual(missing, []);
  const tests = [...table.matchAll(/`(Test\w+)`/g)].map((m) => m[1]);
  assert.ok(tests.length > 8);
  assert.deepEqual(tests.filter((n) => !go.includes(`func ${n}(`)), []);
});
