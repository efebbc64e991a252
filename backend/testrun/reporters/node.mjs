// A node:test reporter that writes one line of JSON for each event, so that a crash loses nothing. It runs in Node's own
// process; the tests run in others. As in redgreen_report.py, each line begins with its seal.

import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, unlinkSync } from 'node:fs';

const LONGEST = 20000;
const keyFile = process.env.REDGREEN_REPORT + '.key';
const key = readFileSync(keyFile);
unlinkSync(keyFile);
let seal = '';

// A test that never ends lets nothing out of its process, not even of the tests before it. So a file's process that uses this
// much of the processor without a word is stopped; the other files have their results.
const most = 2 * Number(process.env.REDGREEN_TEST_SECONDS ?? 0);
delete process.env.REDGREEN_TEST_SECONDS;
const stopped = new Set(); // files
const spent = new Map(); // file → processor seconds when it last had something to tell
const processes = new Map(); // file → its process as last seen: number, processor seconds

/** The test processes that run, by their files. */
function look() {
  processes.clear();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      if (Number(fields[1]) !== process.pid) continue;
      processes.set(readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').filter(Boolean).at(-1), { pid: Number(name), seconds: (Number(fields[11]) + Number(fields[12])) / 100 });
    } catch { /* it has ended */ }
  }
}

function stopEndless() {
  look();
  for (const [file, { pid, seconds }] of processes) {
    if (seconds - (spent.get(file) ?? 0) <= most) continue;
    stopped.add(file);
    try { process.kill(pid, 'SIGKILL'); } catch { /* it has ended */ }
  }
}

if (most > 0) setInterval(stopEndless, 500).unref();

function message(error, file) {
  if (stopped.has(file) && error?.signal === 'SIGKILL') return `stopped: the test takes too long, more than ${most} s of processor time in this file without the end of a test`;
  if (error?.exitCode !== undefined || error?.signal) {
    return error.signal ? `the test process was killed by ${error.signal}` : `the test process ended with exit code ${error.exitCode}`;
  }
  const cause = error?.cause;
  if (cause instanceof Error) return cause.stack || cause.message;
  if (cause && typeof cause === 'object' && cause.message) return cause.stack || String(cause.message);
  return String(cause ?? error?.message ?? error);
}

function line({ type, data }) {
  const test = { nesting: data.nesting, name: data.name, file: data.file, line: data.line };
  switch (type) {
    case 'test:start':
      return { event: 'start', ...test };
    case 'test:pass':
    case 'test:fail': {
      const event = {
        event: 'test', ...test, status: type === 'test:pass' ? 'passed' : 'failed',
        ms: Math.round(data.details?.duration_ms ?? 0), type: data.details?.type,
      };
      if (data.skip !== undefined && data.skip !== false) Object.assign(event, { status: 'skipped', text: String(data.skip === true ? '' : data.skip) });
      if (data.todo !== undefined && data.todo !== false) Object.assign(event, { status: 'skipped', text: 'todo' });
      if (event.status === 'failed') {
        event.kind = data.details?.error?.failureType;
        event.text = message(data.details?.error, data.file).slice(0, LONGEST);
      }
      return event;
    }
    default:
      return null;
  }
}

function sealed(event) {
  const text = JSON.stringify(event);
  seal = createHmac('sha256', key).update(seal + text).digest('hex');
  return `${seal} ${text}\n`;
}

export default async function* report(source) {
  for await (const item of source) {
    if (item.data?.file && processes.has(item.data.file)) spent.set(item.data.file, processes.get(item.data.file).seconds);
    const event = item.data && line(item);
    if (event) yield sealed(event);
  }
  yield sealed({ event: 'end' });
}
