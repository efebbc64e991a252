// A node:test reporter that writes one line of JSON for each event, so that a crash loses nothing. It runs in Node's own
// process; the tests run in others. As in redgreen_report.py, each line begins with its seal.

import { createHmac } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';

const LONGEST = 20000;
const keyFile = process.env.REDGREEN_REPORT + '.key';
const key = readFileSync(keyFile);
unlinkSync(keyFile);
let seal = '';

function message(error) {
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
        event.text = message(data.details?.error).slice(0, LONGEST);
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
    const event = item.data && line(item);
    if (event) yield sealed(event);
  }
  yield sealed({ event: 'end' });
}
