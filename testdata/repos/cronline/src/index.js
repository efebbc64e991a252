export { parse, CronError } from './parse.js';
export { next, upcoming } from './next.js';
export { describe } from './describe.js';
