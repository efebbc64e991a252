// Who does what on a shortcut. The last to register wins, so that what is on top takes the key.

import { begins, match, type Press, type ShortcutId } from './shortcuts';

/** A handler gives why it can do nothing now, in words for the person; else nothing. */
export type Handler = () => string | void;

export class Keys {
  readonly #handlers = new Map<ShortcutId, Handler[]>();
  #before = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #tell: (why: string) => void;

  /** tell is told why a handler did nothing. */
  constructor(tell: (why: string) => void) {
    this.#tell = tell;
  }

  /** on registers handlers; the result takes them back. */
  on(handlers: Partial<Record<ShortcutId, Handler>>): () => void {
    const entries = Object.entries(handlers) as [ShortcutId, Handler][];
    for (const [id, h] of entries) this.#handlers.set(id, [...(this.#handlers.get(id) ?? []), h]);
    return () => {
      for (const [id, h] of entries) this.#handlers.set(id, (this.#handlers.get(id) ?? []).filter((x) => x !== h));
    };
  }

  /** press handles a key; true when a shortcut took it. modal: a dialog is open, which keeps all but its own keys. */
  press(p: Press, typing: boolean, modal: boolean): boolean {
    if (modal) return false;
    const before = this.#before;
    this.#remember('');
    const id = match(p, before, typing);
    const handler = id && this.#handlers.get(id)?.at(-1);
    if (handler) {
      this.#do(handler);
      return true;
    }
    if (!typing) this.#remember(begins(p));
    return false;
  }

  /** run does what a shortcut does, asked for otherwise than by its keys; false where nothing does it now. */
  run(id: ShortcutId): boolean {
    const handler = this.#handlers.get(id)?.at(-1);
    if (handler) this.#do(handler);
    return !!handler;
  }

  #do(handler: Handler): void {
    const why = handler();
    if (why) this.#tell(why);
  }

  #remember(key: string): void {
    clearTimeout(this.#timer);
    this.#before = key;
    if (key) this.#timer = setTimeout(() => (this.#before = ''), 1500);
  }
}
