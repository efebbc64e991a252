import type { Backend } from './index';
export function fake(_q: URLSearchParams): Backend { throw new Error('not yet'); }
