// Figures in English, and the counts that many texts need. Dates are written as in "2 Jan 2026".

import { figures } from '../intl';

export const english = figures('en-US', 'en-GB');

const { count } = english;

export const files = (n: number) => count(n, { one: 'file', other: 'files' });
export const sessions = (n: number) => count(n, { one: 'session', other: 'sessions' });
export const steps = (n: number) => count(n, { one: 'step', other: 'steps' });
export const tests = (n: number) => count(n, { one: 'test', other: 'tests' });
export const changes = (n: number) => count(n, { one: 'change', other: 'changes' });
export const comments = (n: number) => count(n, { one: 'comment', other: 'comments' });
export const reruns = (n: number) => count(n, { one: 'rerun', other: 'reruns' });
