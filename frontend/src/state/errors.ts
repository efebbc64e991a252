// Errors by code: a title, and where to go next. The text of an error is shown but never branched on.

import type { AppError, Code } from '../api/error';

export type Next = 'settings' | 'doctor' | 'retry' | 'start';

export const errors: Record<Code, { title: string; next: Next | null }> = {
  invalid: { title: 'That could not be understood', next: null },
  not_found: { title: 'Not found', next: 'start' },
  conflict: { title: 'Nothing was written: something changed', next: 'retry' },
  denied: { title: 'Not allowed', next: 'settings' },
  limit: { title: 'A limit was reached', next: 'settings' },
  cancelled: { title: 'Cancelled', next: null },
  unavailable: { title: 'Not available here', next: 'doctor' },
  internal: { title: 'Something broke in Redgreen', next: 'retry' },
};

/** titleOf gives the title of any code, also of one that a newer program knows. */
export function titleOf(code: string): string {
  return errors[code as Code]?.title ?? errors.internal.title;
}

export function nextOf(e: AppError): Next | null {
  return errors[e.code].next;
}
