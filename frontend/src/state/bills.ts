// What sessions cost, as people read it.

import type { Bill } from '../api/types';
import { count, tokens, usd } from './format';

/** bill puts a bill's figures in words: an unknown price is never nothing, and a local model costs time. */
export function bill(b: Bill): { cost: string; unknown: string; tokens: string } {
  const u = b.usage;
  const all = u.input + (u.cache_read ?? 0) + (u.cache_write ?? 0) + (u.cache_write_1h ?? 0) + u.output;
  const told = all === 0 && !u.known && b.steps > 0 ? 'unknown' : tokens(all);
  if (b.local) return { cost: 'local', unknown: '', tokens: told };
  if (b.unpriced === 0) return { cost: usd(b.micro_usd), unknown: '', tokens: told };
  if (b.micro_usd === 0) return { cost: 'price unknown', unknown: '', tokens: told };
  return { cost: `${usd(b.micro_usd)} or more`, unknown: `${count(b.unpriced, 'session')} of unknown price`, tokens: told };
}
