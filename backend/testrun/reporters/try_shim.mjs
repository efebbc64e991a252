// Stands in for node:test where many versions are tried in one process: it runs tests one after the other and remembers how
// each ended, for as long as one version is looked at. What it cannot do makes a result differ from that of node:test
// itself, which try_node.mjs checks before it relies on this.

import * as real from 'real:node:test';

let run = null; // the version that is looked at
let group = null; // the describe whose body is being read
let running = null; // the test that runs

/** A version begins: report(names, status) is told of each test; one that start(names) says false of is skipped. */
export function begin(report, start = () => true) {
  run = { report, start, tail: Promise.resolve(), hooks: { before: [], after: [], beforeEach: [], afterEach: [] }, begun: false };
  group = running = null;
}

/** Waits until all tests that were asked for have ended. */
export async function end() {
  for (let seen = null; seen !== run.tail; ) {
    seen = run.tail;
    await seen;
  }
  await all(run.hooks.after, {}).catch(() => {});
  real.mock.reset?.();
}

/** The names of the test that runs. */
export const current = () => running?.names;

/** Something went wrong outside of any promise that a test waits for. */
export function stray(error) {
  if (running) running.failed ??= error ?? new Error('failed');
}

function read(name, options, fn) {
  if (typeof name === 'function') return [name.name || '<anonymous>', {}, name];
  if (name && typeof name === 'object') return [options?.name || '<anonymous>', name, options];
  if (typeof options === 'function') return [name, {}, options];
  return [name ?? (fn?.name || '<anonymous>'), options ?? {}, fn];
}

function called(fn, context, ...more) {
  if (fn.length <= more.length + 1) return fn.call(context, context, ...more);
  return new Promise((done, fail) => { fn.call(context, context, ...more, (error) => (error ? fail(error) : done())); });
}

async function all(hooks, context) {
  for (const hook of hooks) await called(hook, context);
}

function context(node) {
  const hooks = node.hooks;
  return {
    name: node.name, signal: node.stop.signal, mock: real.mock, diagnostic() {}, fullName: node.names.join(' > '),
    skip() { node.skipped = true; }, todo() { node.skipped = true; }, runOnly() {},
    before: (fn) => fn({}), after: (fn) => { hooks.after.push(fn); }, beforeEach: (fn) => { hooks.beforeEach.push(fn); }, afterEach: (fn) => { hooks.afterEach.push(fn); },
    test(...args) {
      const child = test(node, ...read(...args));
      node.tail = node.tail.then(() => perform(child));
      return node.tail;
    },
  };
}

function make(parent, name, options, fn) {
  return { parent, name, options, fn, names: [...(parent?.names ?? []), name], hooks: { before: [], after: [], beforeEach: [], afterEach: [] }, children: [], tail: Promise.resolve(),
    skipped: Boolean(options.skip || options.todo || !fn || parent?.skipped), stop: new AbortController() };
}

const test = make;

function each(node, kind) {
  const out = [];
  for (let p = node.parent; p; p = p.parent) out.unshift(...p.hooks[kind]);
  return [...run.hooks[kind], ...out];
}

function limited(work, node) {
  const limit = node.options.timeout;
  if (!limit || limit === Infinity) return work;
  let timer;
  return Promise.race([work, new Promise((_, fail) => { timer = setTimeout(() => fail(new Error('timed out')), limit); })]).finally(() => clearTimeout(timer));
}

async function perform(node) {
  if (node.suite) return performSuite(node);
  const before = running;
  if (run.start(node.names) === false) node.skipped = true;
  if (!node.skipped || node.options.todo && node.fn) {
    running = node;
    try {
      const given = context(node);
      if (!run.begun) {
        run.begun = true;
        await all(run.hooks.before, {});
      }
      await all(each(node, 'beforeEach'), given);
      try {
        await limited((async () => { await called(node.fn, given); await node.tail; })(), node);
      } finally {
        await all(each(node, 'afterEach').reverse(), given);
        await all(node.hooks.after, given);
      }
    } catch (error) {
      node.failed ??= error ?? new Error('failed');
    }
    node.stop.abort();
    running = before;
  }
  if (node.failed && node.parent && !node.skipped) node.parent.failed ??= node.failed;
  run.report(node.names, node.skipped ? 'skipped' : node.failed ? 'failed' : 'passed');
}

async function performSuite(node) {
  let broken = node.failed;
  try {
    if (!node.skipped) await all(node.hooks.before, {});
  } catch (error) {
    broken = error;
  }
  for (const child of node.children) {
    if (broken) child.failed ??= broken;
    if (broken && !child.suite) run.report(child.names, 'failed');
    else await perform(child);
  }
  await all(node.skipped ? [] : node.hooks.after, {}).catch(() => {});
}

/** test and it: inside of describe they wait for its end, elsewhere each runs behind the one before. */
function ask(...args) {
  const node = make(group, ...read(...args));
  if (group) {
    group.children.push(node);
    return undefined;
  }
  run.tail = run.tail.then(() => perform(node));
  return run.tail;
}

function suite(...args) {
  const node = make(group, ...read(...args));
  node.suite = true;
  const outer = group;
  group = node;
  let wait;
  try {
    if (node.fn) wait = called(node.fn, { name: node.name, signal: node.stop.signal });
  } catch (error) {
    node.failed = error ?? new Error('failed');
  } finally {
    group = outer;
  }
  if (outer) outer.children.push(node);
  else run.tail = run.tail.then(async () => { await Promise.resolve(wait).catch((error) => { node.failed = error; }); await perform(node); });
  return run.tail;
}

const variant = (make, option) => (...args) => {
  const [name, options, fn] = read(...args);
  return make(name, { ...options, [option]: true }, fn);
};
for (const f of [ask, suite]) Object.assign(f, { skip: variant(f, 'skip'), todo: variant(f, 'todo'), only: (...args) => f(...args) });

const hook = (kind) => (fn) => { (group ? group.hooks : run.hooks)[kind].push(fn); };
export const before = hook('before');
export const after = hook('after');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
export const { mock } = real;
export const { skip, todo, only } = ask;
export { ask as test, ask as it, suite, suite as describe };
Object.assign(ask, { test: ask, it: ask, suite, describe: suite, before, after, beforeEach, afterEach, mock });
export default ask;
