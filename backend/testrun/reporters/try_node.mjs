// Tries many changed versions of a few files with node:test, two at a time, each in a copy of the folder: the failing tests of
// many in one process, where that tells the same, and all tests of what passes them in processes of its own. As
// try_python.py it reads an order and reports what became of each; a version whose tests take too much processor time is
// killed, or too much of the clock where it only waits. At first it has little, as there.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { copy, env, lay, order, write } from './try_tree.mjs';

const MOST_PARTIAL = 25;
const MOST_RUNS = 400; // versions that one process loads: it forgets none
const AGAIN = 6; // versions that have all of their time in any case
const CHECKED = 40; // versions after which the untouched tree must look as before
/** The processor seconds of all runs that have ended. */
function used() {
  const fields = fs.readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /, '').split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Runs Node for so many processor seconds and gives the status of each test by id. */
function run(tree, args, patience, seconds) {
  return new Promise((done) => {
    const statuses = new Map();
    let rest = '';
    let hung = false;
    const child = spawn('/bin/sh', ['-c', 'ulimit -t "$0"; exec "$@"', String(seconds), process.execPath, `--test-reporter=${path.join(import.meta.dirname ?? '/redgreen', 'try_report.mjs')}`,
      '--test-reporter-destination=stdout', ...args], { cwd: tree.dir, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const timer = setTimeout(() => {
      hung = true;
      try { process.kill(-child.pid, 'SIGKILL'); } catch { /* it has ended */ }
    }, patience);
    child.stdout.on('data', (data) => {
      const lines = (rest + data).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        try {
          const [file, names, status] = JSON.parse(line);
          const id = [path.relative(tree.dir, file || args.at(-1)), ...names].join(' > ');
          statuses.set(id, status);
        } catch { /* what the code under test printed */ }
      }
    });
    child.on('error', () => {});
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      hung ||= signal === 'SIGKILL' || signal === 'SIGXCPU';
      done({ statuses, hung });
    });
  });
}

/**
 * One process that loads version after version of a tree (try_many.mjs), for as long as it tells of the untouched tree what
 * processes of their own tell; it is begun anew after a version that hangs or crashes it.
 */
class Many {
  constructor(tree) {
    this.tree = tree;
    this.n = 0;
  }

  start() {
    this.child = spawn(process.execPath, [...options.filter((a) => !a.startsWith('--test')), path.join(import.meta.dirname ?? '/redgreen', 'try_many.mjs'), this.tree.root, this.tree.dir, ...files],
      { cwd: this.tree.dir, env, detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.child.on('error', () => {});
    this.runs = 0;
    return this.answer(20_000, Infinity);
  }

  stop() {
    if (!this.child) return;
    try { process.kill(-this.child.pid, 'SIGKILL'); } catch { /* it has ended */ }
    this.child = undefined;
  }

  /** The next message; null where the process ended, or was killed since it took longer or used more of the processor. */
  answer(wait, seconds) {
    const { child } = this;
    const from = spent(child.pid);
    return new Promise((done) => {
      const timers = [setTimeout(() => { this.hung = true; this.stop(); }, wait), setInterval(() => {
        if (spent(child.pid) - from > seconds) { this.hung = true; this.stop(); }
      }, 100)];
      const finish = (message) => {
        for (const t of timers) clearInterval(t);
        child.removeAllListeners();
        child.on('error', () => {});
        done(message);
      };
      child.once('message', finish);
      child.once('exit', () => { this.child = undefined; finish(null); });
    });
  }

  /** The statuses of the tests on the tree as it is now, as run gives them. */
  async look(seconds = limit) {
    this.hung = false;
    if (this.runs >= MOST_RUNS) this.stop();
    if (!this.child && !await this.start()) return { statuses: new Map(), hung: this.hung };
    this.child.send({ n: ++this.n }, () => {});
    this.runs += 1;
    const told = await this.answer(patience, seconds);
    return { statuses: new Map(told?.statuses), hung: this.hung };
  }
}

/** The processor seconds of a process that runs. */
function spent(pid) {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '').split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Whether a test passes; of a file that did not run to its end on the untouched tree, whether it has tests and none fails. */
function passes(statuses, id) {
  if (statuses.has(id) || id.includes(' > ')) return statuses.get(id) === 'passed';
  const within = [...statuses].filter(([test]) => test.startsWith(`${id} > `)).map(([, status]) => status);
  return within.includes('passed') && !within.includes('failed');
}

const alike = (a, b) => a.size === b.size && [...a].every(([id, status]) => b.get(id) === status);

const files = [...new Set(order.first.map((id) => id.split(' > ')[0]))];
const options = order.args.filter((a) => a !== '--test');
const trees = [copy('/tmp/redgreen-try-0'), copy('/tmp/redgreen-try-1')];
const begun = Date.now();
let patience = 120_000;
let limit = 60; // processor seconds
let begunCount = 0;
let last = Infinity;
let passed = 0;
let partial = 0;
let quick = Infinity;
const late = []; // versions that had little time and need more, or never end

async function first(tree) {
  const all = { statuses: new Map(), hung: false };
  for (const file of files) {
    const one = await run(tree, [...options, file], patience, limit);
    for (const [id, s] of one.statuses) all.statuses.set(id, s);
    all.hung ||= one.hung;
    if (all.hung) break;
  }
  return all;
}

async function attempt(tree, n, many, hasty) {
  lay(tree, order.trials[n]);
  const { statuses, hung } = await (many ? many.look(hasty ? quick : limit) : first(tree));
  if (hung && many && hasty && quick < limit) {
    late.push(n);
    return;
  }
  const good = order.first.filter((id) => passes(statuses, id));
  write({ event: 'trial', n, fixed: good, hung: hung ? files : [], built: statuses.size > 0 || hung, crashed: false, shared: Boolean(many) });
  const all = good.length === order.first.length;
  if (!all && (good.length === 0 || partial >= MOST_PARTIAL)) return;
  if (!all) partial += 1;
  const whole = await run(tree, order.args.concat(order.whole), 5 * patience + order.wall * 1000, 20 * limit);
  const fixed = order.red.filter((id) => passes(whole.statuses, id));
  const broken = order.green.filter((id) => whole.statuses.get(id) !== 'passed');
  write({ event: 'whole', n, fixed, broken: broken.slice(0, 20) });
  const every = fixed.length === order.red.length;
  if (broken.length && !every) return;
  if (every && !broken.length) passed += 1;
  const more = !every || broken.length ? 60 : many ? 100 : 20;
  last = Math.min(last, begunCount + Math.max(begunCount, more));
}

/**
 * Goes through versions with one tree, many in a process while that is right, else each in one of its own. hasty gives each
 * little time, where one process takes many.
 */
async function work(tree, next, hasty) {
  const many = new Many(tree);
  const right = async () => {
    lay(tree, {});
    return order.endless || alike((await many.look()).statuses, usual); // an untouched tree that never ends tells nothing
  };
  let safe = await right();
  if (safe) {
    const from = spent(many.child?.pid);
    const began = Date.now();
    safe = await right();
    const cost = many.child ? spent(many.child.pid) - from || (Date.now() - began) / 1000 : 0.1; // 0.1: not known
    if (safe) quick = Math.min(limit, Math.max(0.3, 3 * cost + order.quick));
  }
  let since = [];
  for (let n = next(); n >= 0; n = next()) {
    await attempt(tree, n, safe ? many : undefined, hasty);
    if (!safe || since.push(n) < CHECKED) continue;
    safe = await right();
    if (!safe) for (const again of since) await attempt(tree, again);
    since = [];
  }
  if (safe && since.length > 0 && !await right()) for (const again of since) await attempt(tree, again);
  many.stop();
}

const goes = () => passed < order.enough && Date.now() - begun < order.wall * 1000;
const nextNew = () => (begunCount < order.trials.length && begunCount < last && goes() ? begunCount++ : -1);

/** Those that had little time have all of it where nothing passes: some in any case, more for half as long as all took before. The
 * rest is told as late. */
async function tryLate() {
  const rest = late.sort((a, b) => a - b).splice(0);
  const until = Date.now() + (Date.now() - begun) / 2;
  let again = 0;
  const nextLate = () => (rest.length > 0 && (again++ < AGAIN || Date.now() < until) && goes() && passed === 0 ? rest.shift() : -1);
  if (rest.length > 0) await Promise.all(trees.map((tree) => work(tree, nextLate, false)));
  for (const n of rest) write({ event: 'late', n });
}

/** What the failing tests tell of the untouched tree, and from what that takes the limits; not where they never end on it. */
async function look() {
  const warm = Date.now();
  const before = used();
  const { statuses } = await first(trees[0]);
  const cost = used() - before || (Date.now() - warm) / 1000; // some sandboxes count no processor time
  limit = Math.ceil(Math.max(1, 3 * cost + order.seconds));
  patience = 20 * (Date.now() - warm) + 20_000;
  return statuses;
}

if (order.endless) limit = Math.ceil(order.seconds + 1);
const usual = order.endless ? new Map() : await look();
await Promise.all(trees.map((tree) => work(tree, nextNew, true)));
await tryLate();
write({ event: 'end' });
