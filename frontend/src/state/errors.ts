// Errors by code: a title, and where to go next. The text of an error is shown but never branched on.

import type { AppError, Code } from '../api/error';
import { t } from '../texts';

export type Next = 'settings' | 'doctor' | 'retry' | 'start';

const next: Record<Code, Next | null> = {
  invalid: null,
  not_found: 'start',
  conflict: 'retry',
  denied: 'settings',
  limit: 'settings',
  cancelled: null,
  unavailable: 'doctor',
  internal: 'retry',
};

/** titleOf gives the title of any code, also of one that a newer program knows. */
export function titleOf(code: string): string {
  return t.errors[code as Code] ?? t.errors.internal;
}

export function nextOf(e: AppError): Next | null {
  return next[e.code];
}
