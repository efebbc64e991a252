// Finds the times at which a schedule runs. All times are UTC.

const MINUTE = 60_000;

// A leap day comes back after eight years at the latest (1896 and 1904); anything longer never happens.
const HORIZON_YEARS = 8;

/** The first time after `from` at which the schedule runs, or null when it never does. */
export function next(schedule, from) {
  const time = new Date(Math.floor(from.getTime() / MINUTE) * MINUTE + MINUTE);
  const end = time.getUTCFullYear() + HORIZON_YEARS;
  while (time.getUTCFullYear() <= end) {
    if (!schedule.month.has(time.getUTCMonth() + 1)) {
      startOfNextMonth(time);
    } else if (!dayMatches(schedule, time)) {
      startOfNextDay(time);
    } else if (!schedule.hour.has(time.getUTCHours())) {
      time.setUTCHours(time.getUTCHours() + 1, 0);
    } else if (!schedule.minute.has(time.getUTCMinutes())) {
      time.setUTCMinutes(time.getUTCMinutes() + 1);
    } else {
      return time;
    }
  }
  return null;
}

/** The next `count` times; fewer when the schedule never runs. */
export function upcoming(schedule, from, count) {
  const times = [];
  for (let time = next(schedule, from); time && times.length < count; time = next(schedule, time)) {
    times.push(time);
  }
  return times;
}

function dayMatches(schedule, time) {
  return schedule.day.has(time.getUTCDate()) && schedule.weekday.has(time.getUTCDay());
}

function startOfNextDay(time) {
  time.setUTCDate(time.getUTCDate() + 1);
  time.setUTCHours(0, 0);
}

function startOfNextMonth(time) {
  time.setUTCMonth(time.getUTCMonth() + 1, 1);
  time.setUTCHours(0, 0);
}
