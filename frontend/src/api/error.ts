// Errors of the Go side as the window sees them: a code to branch on, and a message for people.

import { t } from '../texts';

export const codes = ['invalid', 'not_found', 'conflict', 'denied', 'limit', 'cancelled', 'unavailable', 'internal'] as const;
export type Code = (typeof codes)[number];

export class AppError extends Error {
  readonly code: Code;
  constructor(code: Code, message: string) {
    super(message);
    this.name = 'AppError';
    this.code = code;
  }
}

function isCode(x: unknown): x is Code {
  return (codes as readonly unknown[]).includes(x);
}

function fromObject(x: unknown): AppError | null {
  if (typeof x !== 'object' || x === null || !('code' in x) || !('message' in x)) return null;
  return new AppError(isCode(x.code) ? x.code : 'internal', String(x.message));
}

function fromText(text: string): AppError {
  try {
    const parsed = fromObject(JSON.parse(text));
    if (parsed) return parsed;
  } catch {
    // Not JSON: the text itself is the message.
  }
  return new AppError('internal', text || t.general.wrong);
}

/** decode makes an AppError of whatever a call rejected with: an Error holding JSON, a string of JSON, or an object. */
export function decode(reason: unknown): AppError {
  if (reason instanceof AppError) return reason;
  if (reason instanceof Error) return fromText(reason.message);
  if (typeof reason === 'string') return fromText(reason);
  return fromObject(reason) ?? new AppError('internal', String(reason));
}
