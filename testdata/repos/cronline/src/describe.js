// Puts a schedule into words.

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October',
  'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** One line that says when a schedule runs. */
export function describe(schedule) {
  const parts = [describeTime(schedule), describeDays(schedule)];
  if (!schedule.any.has('month')) {
    parts.push('in ' + list(sorted(schedule.month).map((month) => MONTHS[month - 1])));
  }
  return parts.filter(Boolean).join(' ');
}

function describeTime({ minute, hour, any }) {
  if (any.has('minute') && any.has('hour')) return 'every minute';
  if (any.has('hour')) return `at minute ${list(sorted(minute))} of every hour`;
  if (minute.size * hour.size > 4) return `at minute ${list(sorted(minute))} of hour ${list(sorted(hour))}`;
  const times = sorted(hour).flatMap((h) => sorted(minute).map((m) => `${two(h)}:${two(m)}`));
  return 'at ' + list(times);
}

function describeDays({ day, weekday, any }) {
  const days = any.has('day') ? '' : 'on day ' + list(sorted(day));
  const weekdays = any.has('weekday') ? '' : 'on ' + list(sorted(weekday).map((index) => DAYS[index]));
  return [days, weekdays].filter(Boolean).join(' or ');
}

function list(items) {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

function sorted(values) {
  return [...values].sort((a, b) => a - b);
}

function two(number) {
  return String(number).padStart(2, '0');
}
