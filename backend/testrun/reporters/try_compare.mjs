// How versions that pass all tests differ, in JavaScript and TypeScript: what they change is called as the tests call it and with inputs
// a little off those, first in the tree as it is and then in each version. It tells what came of each call; it is judged
// outside (try_compare.go). No code under test runs in this process.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { copy, env, lay, order, write } from './try_tree.mjs';

const MOST_TESTS = 60; // passing ones, whose calls are looked at
const MOST_CALLS = 200;
const MOST_INPUTS = 120;
const MOST_FIELDS = 5;
const MOST_STARTS = 4;
const MOST_SAID = 8 << 20; // bytes
const SHOWN = 160;
const FIRST = 20_000; // milliseconds in which a process says something first, on a busy machine
const QUIET = 6000; // and then
const until = Date.now() + order.wall * 1000;

/** Runs try_calls.mjs and gives what it said; killed tells that it had to be ended. enough(bytes) ends it early. */
function ask(tree, mode, told) {
  const file = path.join('/tmp', `redgreen-${path.basename(tree.root)}-${mode}`);
  fs.writeFileSync(`${file}.json`, JSON.stringify(told));
  fs.writeFileSync(`${file}.out`, '');
  const size = () => fs.statSync(`${file}.out`, { throwIfNoEntry: false })?.size ?? 0;
  return new Promise((done) => {
    let killed = false;
    let last = size();
    let since = Date.now();
    const child = spawn(process.execPath, ['--max-old-space-size=600', ...order.args.filter((a) => !a.startsWith('--test')), path.join(import.meta.dirname ?? '/redgreen', 'try_calls.mjs'),
      mode, tree.root, tree.dir, `${file}.json`, `${file}.out`], { cwd: tree.dir, env, detached: true, stdio: 'ignore' });
    const end = () => { try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has ended */ } };
    const timer = setInterval(() => {
      const now = size();
      if (now !== last) [last, since] = [now, Date.now()];
      if (Date.now() - since < (now ? QUIET : FIRST) + order.seconds * 1000 && Date.now() < until && now < MOST_SAID) return;
      killed = true;
      end();
    }, 50);
    child.on('error', () => {});
    child.on('close', () => {
      clearInterval(timer);
      end();
      let said = [];
      try {
        said = fs.readFileSync(`${file}.out`).subarray(0, MOST_SAID).toString().split('\n').slice(0, -1).map((line) => JSON.parse(line)).filter(Array.isArray);
      } catch { /* the code under test wrote into it */ }
      done({ said, killed, whole: said.at(-1)?.[0] === 'done' });
    });
  });
}

/** The calls of the tests, those of a test that never ends up to there. */
async function calls(tree) {
  lay(tree, order.plain);
  const greens = new Set(order.green);
  const file = (id) => id.split(' > ')[0];
  const tests = [...new Set([...order.red, ...order.green.slice(0, MOST_TESTS)].map(file))];
  const skip = [];
  const all = [];
  const seen = new Set();
  for (let n = 0; n < MOST_STARTS && Date.now() < until; n++) {
    const { said, whole } = await ask(tree, 'record', { tests, skip, changed: [...new Set(order.changed.flat())] });
    let running;
    for (const [what, test, one] of said) {
      if (what === 'start') running = test;
      if (what !== 'call' || typeof one?.unit !== 'string' || !Array.isArray(one.args) || all.length >= MOST_CALLS) continue;
      const key = JSON.stringify([test, one]);
      if (!seen.has(key)) all.push({ ...one, green: greens.has(test) });
      seen.add(key);
    }
    if (whole || running === undefined || skip.includes(running)) break;
    skip.push(running);
  }
  return all;
}

// Chance that is the same each time (mulberry32).
let state = 1;
function some(n) {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) % n;
}

const spliced = (list, ...how) => { const all = [...list]; all.splice(...how); return all; };
const set = (list, i, value) => spliced(list, i, 1, value);

/** Values a little off one. */
function off({ k, v, ...more }) {
  const as = (all) => all.map((one) => ({ k, v: one, ...more }));
  if (k === 'boolean') return as([!v]);
  if (k === 'number') return as([Number(v) + 1, Number(v) - 1, 0, 0 - Number(v)].map(String));
  if (k === 'bigint') return as([BigInt(v) + 1n, BigInt(v) - 1n, 0n, -BigInt(v)].map(String));
  if (k === 'date') return as([v + 86_400_000, v - 86_400_000, v + 1000, v - 1000]);
  if (k === 'string' && v) {
    const all = [...v];
    const [i, j] = [some(all.length), some(all.length)];
    return as([all.slice(1), all.slice(0, -1), [...all].reverse(), [...all, ...all], spliced(all, i, 0, all[i]), spliced(all, i, 0, all[j])].map((l) => l.join('')));
  }
  if ((k === 'array' || k === 'set') && v.length) {
    const [i, j] = [some(v.length), some(v.length)];
    if (k === 'set') return as([spliced(v, i, 1)]);
    const others = off(v[i]).slice(0, 3);
    const within = [...others.map((other) => set(v, i, other)), ...others.slice(0, 1).map((other) => [...v, other])];
    return as([v.slice(1), v.slice(0, -1), [...v].reverse(), [...v, ...v], spliced(v, i, 0, v[i]), set(set(v, i, v[j]), j, v[i]), ...within]);
  }
  const within = (i) => off(v[i][1]).slice(0, 2).map((other) => set(v, i, [v[i][0], other]));
  if ((k === 'object' || k === 'map') && v.length) {
    const i = some(v.length);
    return as([spliced(v, i, 1), ...within(i)]);
  }
  return k === 'instance' ? as(v.slice(0, MOST_FIELDS).flatMap((_, i) => within(i))) : [];
}

/** The inputs a little off those of the calls. */
function inputs(all) {
  const key = ({ unit, self, args }) => JSON.stringify([unit, self, args]);
  const seen = new Set(all.map(key));
  const found = [];
  for (const one of all) {
    const others = one.args.flatMap((value, i) => off(value).map((other) => ({ ...one, args: set(one.args, i, other) })));
    if (one.self) others.push(...off(one.self).map((self) => ({ ...one, self })));
    for (const other of others) {
      if (seen.has(key(other))) continue;
      seen.add(key(other));
      found.push(other);
    }
  }
  for (let i = found.length - 1; i > 0; i--) {
    const j = some(i + 1);
    [found[i], found[j]] = [found[j], found[i]];
  }
  return found.slice(0, MOST_INPUTS);
}

/** A value as a person writes it. */
function plainly({ k, v, c, f }) {
  const fields = () => `{${v.map(([name, value]) => `${name}: ${plainly(value)}`).join(', ')}}`;
  if (k === 'string') return JSON.stringify(v);
  if (k === 'array') return `[${v.map(plainly).join(', ')}]`;
  if (k === 'set') return `Set {${v.map(plainly).join(', ')}}`;
  if (k === 'map') return `Map {${v.map(([a, b]) => `${plainly(a)} => ${plainly(b)}`).join(', ')}}`;
  if (k === 'date') return Number.isFinite(v) ? new Date(v).toISOString() : 'no date';
  if (k === 'regexp') return `/${v}/${f}`;
  if (k === 'object') return fields();
  if (k === 'instance') return `${c.slice(c.indexOf(':') + 1)} ${fields()}`;
  return k === 'bigint' ? `${v}n` : k === 'undefined' ? k : String(v);
}

const written = ({ self, called, args }) => `${self ? plainly(self) : ''}${called}(${args.map(plainly).join(', ')})`;
const short = (text) => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`);

/** What came of each input in a version: [fate, shown, touches, what it came to]. */
async function fates(tree, version, given) {
  lay(tree, version);
  const out = new Map();
  for (let n = 0, from = 0; n < MOST_STARTS && from < given.length && Date.now() < until; n++) {
    const { said, killed, whole } = await ask(tree, 'behave', { files: Object.keys(version), inputs: given, from });
    for (const [what, i, ...rest] of said) if (what === 'fate' && Number.isInteger(i)) out.set(i, rest);
    if (whole || said.length === 0) break; // it came to its end, or cannot even be loaded
    from = Math.max(from - 1, ...out.keys()) + 1;
    out.set(from, [...(killed ? ['!hangs', 'no end'] : ['!ends', 'the process ends']), false, []]);
    from += 1;
  }
  return out;
}

async function work() {
  const trees = [copy('/tmp/redgreen-try-0'), copy('/tmp/redgreen-try-1')];
  const given = inputs(await calls(trees[0]));
  if (given.length === 0) return;
  write({ event: 'inputs', calls: given.map((one) => short(written(one))), green: given.map((one) => one.green) });
  const reached = new Map();
  const tell = (n, got) => write({ event: 'fates', n, fates: [...got].map(([input, [fate, shown, touches]]) => (
    { input, fate: String(fate), shown: String(shown), touches: Boolean(touches), reaches: n >= 0 && order.changed[n].some((key) => reached.get(input)?.includes(key)) })) });
  for (const got of await Promise.all(trees.map((tree) => fates(tree, order.plain, given)))) { // what the tree itself does not do the same twice tells nothing
    for (const [i, [, , , keys]] of got) reached.set(i, Array.isArray(keys) ? keys : []);
    tell(-1, got);
  }
  let next = 0;
  await Promise.all(trees.map(async (tree) => {
    for (let n = next++; n < order.trials.length && Date.now() < until; n = next++) tell(n, await fates(tree, order.trials[n], given));
  }));
}

await work();
write({ event: 'end' });
