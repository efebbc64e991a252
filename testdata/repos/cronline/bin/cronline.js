#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { CronError, describe, parse, upcoming } from '../src/index.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, count: { type: 'string', default: '5' } },
});

if (positionals.length !== 1) {
  console.error('usage: cronline "MINUTE HOUR DAY MONTH WEEKDAY" [--from TIME] [--count N]');
  process.exit(2);
}

try {
  const schedule = parse(positionals[0]);
  console.log(describe(schedule));
  const from = values.from ? new Date(values.from) : new Date();
  for (const time of upcoming(schedule, from, Number(values.count))) {
    console.log(time.toISOString().replace(':00.000Z', 'Z'));
  }
} catch (error) {
  if (!(error instanceof CronError)) throw error;
  console.error(`cronline: ${error.message}`);
  process.exit(1);
}
