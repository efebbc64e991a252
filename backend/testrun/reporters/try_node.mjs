// Tries many changed versions of a few files with node:test, two at a time, each in a copy of the folder and processes of
// its own. As try_python.py it reads an order and reports what became of each; a version whose tests take too much processor
// time is killed, or too much of the clock where it only waits.

import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const MOST_PARTIAL = 25;
const reportFile = process.env.REDGREEN_REPORT;
const key = fs.readFileSync(`${reportFile}.key`);
fs.unlinkSync(`${reportFile}.key`);
const order = JSON.parse(fs.readFileSync(process.env.REDGREEN_TRY, 'utf8'));
const env = { ...process.env };
delete env.REDGREEN_REPORT;
delete env.REDGREEN_TRY;
const here = process.cwd();
const root = '/workspace';
let seal = '';

function write(event) {
  const text = JSON.stringify(event);
  seal = createHmac('sha256', key).update(seal + text).digest('hex');
  fs.appendFileSync(reportFile, `${seal} ${text}\n`);
}

/** A copy of the folder; what others installed is linked to, not copied. */
function copy(to) {
  const links = (from, target) => {
    fs.mkdirSync(target, { recursive: true });
    for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
      const a = path.join(from, entry.name);
      const b = path.join(target, entry.name);
      if (entry.name === 'node_modules' || entry.name === '.git') fs.symlinkSync(a, b);
      else if (entry.isDirectory()) links(a, b);
      else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(a), b);
      else if (entry.isFile()) fs.copyFileSync(a, b);
    }
  };
  links(root, to);
  return { root: to, dir: path.join(to, path.relative(root, here)), changed: [] };
}

function lay(tree, versions) {
  for (const p of tree.changed) fs.copyFileSync(path.join(root, p), path.join(tree.root, p));
  tree.changed = Object.keys(versions);
  for (const [p, text] of Object.entries(versions)) fs.writeFileSync(path.join(tree.root, p), text);
}

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

const files = [...new Set(order.first.map((id) => id.split(' > ')[0]))];
const options = order.args.filter((a) => a !== '--test');
const trees = [copy('/tmp/redgreen-try-0'), copy('/tmp/redgreen-try-1')];
const begun = Date.now();
let patience = 120_000;
let limit = 60;
let begunCount = 0;
let last = Infinity;
let passed = 0;
let partial = 0;

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

async function attempt(tree, n) {
  lay(tree, order.trials[n]);
  const { statuses, hung } = await first(tree);
  const good = order.first.filter((id) => statuses.get(id) === 'passed');
  write({ event: 'trial', n, fixed: good, hung: hung ? files : [], built: statuses.size > 0 || hung, crashed: false });
  const all = good.length === order.first.length;
  if (!all && (good.length === 0 || partial >= MOST_PARTIAL)) return;
  if (!all) partial += 1;
  const whole = await run(tree, order.args.concat(order.whole), 5 * patience + order.wall * 1000, 20 * limit);
  const fixed = order.red.filter((id) => whole.statuses.get(id) === 'passed');
  const broken = order.green.filter((id) => whole.statuses.get(id) !== 'passed');
  write({ event: 'whole', n, fixed, broken: broken.slice(0, 20) });
  const every = fixed.length === order.red.length;
  if (broken.length && !every) return;
  if (every && !broken.length) passed += 1;
  const more = every && !broken.length ? 20 : 60;
  last = Math.min(last, begunCount + Math.max(begunCount, more));
}

const warm = Date.now();
const before = used();
await first(trees[0]);
const cost = used() - before || (Date.now() - warm) / 1000; // some sandboxes count no processor time
limit = Math.ceil(Math.max(1, 3 * cost + order.seconds));
patience = 20 * (Date.now() - warm) + 20_000;
await Promise.all(trees.map(async (tree) => {
  while (begunCount < order.trials.length && begunCount < last && passed < order.enough && Date.now() - begun < order.wall * 1000) {
    await attempt(tree, begunCount++);
  }
}));
write({ event: 'end' });
