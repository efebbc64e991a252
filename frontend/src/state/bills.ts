// What sessions cost, as people read it.

import type { Bill } from '../api/types';
import { tokens, usd } from './format';
import { t } from '../texts';

/** bill puts a bill's figures in words: an unknown price is never nothing, and a local model costs time. */
export function bill(b: Bill): { cost: string; unknown: string; tokens: string } {
  const u = b.usage;
  const all = u.input + (u.cache_read ?? 0) + (u.cache_write ?? 0) + (u.cache_write_1h ?? 0) + u.output;
  const told = all === 0 && !u.known && b.steps > 0 ? t.spending.unknown : tokens(all);
  if (b.local) return { cost: t.figure.local, unknown: '', tokens: told };
  if (b.unpriced === 0) return { cost: usd(b.micro_usd), unknown: '', tokens: told };
  if (b.micro_usd === 0) return { cost: t.figure.priceUnknown, unknown: '', tokens: told };
  return { cost: t.spending.orMore(usd(b.micro_usd)), unknown: t.spending.unpriced(b.unpriced), tokens: told };
}
