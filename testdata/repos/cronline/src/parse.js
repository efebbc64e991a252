// Reads cron expressions.

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const SHORT_FORMS = new Map([
  ['@hourly', '0 * * * *'],
  ['@daily', '0 0 * * *'],
  ['@weekly', '0 0 * * 0'],
  ['@monthly', '0 0 1 * *'],
  ['@yearly', '0 0 1 1 *'],
]);

const FIELDS = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'weekday', min: 0, max: 7, names: DAYS },
];

/** An expression that cannot be read; the message names the field. */
export class CronError extends Error {}

/**
 * Parses an expression into sets of numbers, one for each field.
 * `any` names the fields that were given as "*".
 */
export function parse(text) {
  const short = text.trim().toLowerCase();
  const parts = (SHORT_FORMS.get(short) ?? short).split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw new CronError(`want 5 fields, have ${short === '' ? 0 : parts.length}`);
  }
  const schedule = { any: new Set() };
  FIELDS.forEach((field, i) => {
    if (parts[i] === '*') schedule.any.add(field.name);
    schedule[field.name] = parseField(parts[i], field);
  });
  if (schedule.weekday.delete(7)) schedule.weekday.add(0);
  return schedule;
}

function parseField(text, field) {
  const values = new Set();
  for (const item of text.split(',')) {
    const [range, step] = item.split('/');
    const [from, to] = parseRange(range, field, step !== undefined);
    const by = step === undefined ? 1 : parseNumber(step, field);
    if (by < 1) throw new CronError(`${field.name}: step must be at least 1`);
    for (let value = from; value <= to; value += by) values.add(value);
  }
  return values;
}

function parseRange(text, field, stepped) {
  if (text === '*') return [field.min, field.name === 'weekday' ? 6 : field.max];
  const [low, high, more] = text.split('-');
  if (more !== undefined) throw new CronError(`${field.name}: ${text} is not a range`);
  const from = parseValue(low, field);
  const to = high === undefined ? (stepped ? field.max : from) : parseValue(high, field);
  if (to < from) throw new CronError(`${field.name}: range ${text} runs backwards`);
  return [from, to];
}

function parseValue(text, field) {
  const index = field.names?.indexOf(text) ?? -1;
  const value = index >= 0 ? index + field.min : parseNumber(text, field);
  if (value < field.min || value > field.max) {
    throw new CronError(`${field.name}: ${text} is not within ${field.min}-${field.max}`);
  }
  return value;
}

function parseNumber(text, field) {
  if (!/^\d+$/.test(text)) throw new CronError(`${field.name}: "${text}" is not a number`);
  return Number(text);
}
