// Figures in English, and the counts that many texts need. Dates are written as in "2 Jan 2026".

import { figures } from '../intl';

export const english = figures('en-US', 'en-GB');

const { count } = english;

export const files = (n: number) => count(n, { one: 'file', other: 'files' });
