// The one table of what a key or an item of the window's menu does: the help overlay lists it, and what each is for is said in
// texts. A sequence is written "G S"; without keys it is in the menu only.

interface Shortcut {
  id: string;
  keys: string;
  group: 'everywhere' | 'task' | 'diff' | 'decision';
  window?: true; // only there: a browser has its own
}

export const shortcuts = [
  { id: 'help', keys: '?', group: 'everywhere' },
  { id: 'search', keys: 'Ctrl+K', group: 'everywhere' },
  { id: 'open', keys: 'Ctrl+O', group: 'everywhere' },
  { id: 'settings', keys: 'Ctrl+,', group: 'everywhere' },
  { id: 'larger', keys: 'Ctrl+=', group: 'everywhere', window: true },
  { id: 'smaller', keys: 'Ctrl+-', group: 'everywhere', window: true },
  { id: 'normal', keys: 'Ctrl+0', group: 'everywhere', window: true },
  { id: 'quit', keys: 'Ctrl+Q', group: 'everywhere', window: true },
  { id: 'sample', keys: '', group: 'everywhere' },
  { id: 'system', keys: '', group: 'everywhere' },
  { id: 'light', keys: '', group: 'everywhere' },
  { id: 'dark', keys: '', group: 'everywhere' },
  { id: 'start', keys: 'G H', group: 'everywhere' },
  { id: 'task', keys: 'G T', group: 'everywhere' },
  { id: 'sessions', keys: 'G S', group: 'everywhere' },
  { id: 'doctor', keys: 'G D', group: 'everywhere' },
  { id: 'new', keys: 'G N', group: 'task' },
  { id: 'compose', keys: '/', group: 'task' },
  { id: 'send', keys: 'Ctrl+Enter', group: 'task' },
  { id: 'pause', keys: 'H', group: 'task' },
  { id: 'quote', keys: 'Q', group: 'task' },
  { id: 'resend', keys: 'A', group: 'task' },
  { id: 'cancel', keys: 'Ctrl+.', group: 'task' },
  { id: 'replay', keys: 'L', group: 'task' },
  { id: 'trace', keys: 'T', group: 'task' },
  { id: 'failure', keys: 'F', group: 'task' },
  { id: 'change', keys: 'M', group: 'task' },
  { id: 'question', keys: 'K', group: 'task' },
  { id: 'next', keys: 'N', group: 'diff' },
  { id: 'previous', keys: 'P', group: 'diff' },
  { id: 'nextFile', keys: ']', group: 'diff' },
  { id: 'previousFile', keys: '[', group: 'diff' },
  { id: 'leave', keys: 'X', group: 'diff' },
  { id: 'comment', keys: 'C', group: 'diff' },
  { id: 'edit', keys: 'E', group: 'diff' },
  { id: 'viewed', keys: 'V', group: 'diff' },
  { id: 'blanks', keys: 'B', group: 'diff' },
  { id: 'why', keys: 'W', group: 'diff' },
  { id: 'layout', keys: 'D', group: 'diff' },
  { id: 'write', keys: 'Ctrl+Shift+Enter', group: 'decision' },
  { id: 'reject', keys: 'R', group: 'decision' },
  { id: 'undo', keys: 'U', group: 'decision' },
] as const satisfies readonly Shortcut[];

export type ShortcutId = (typeof shortcuts)[number]['id'];

/** listed are the shortcuts that the help overlay shows. */
export function listed(browser: boolean): readonly (typeof shortcuts)[number][] {
  return shortcuts.filter((s: Shortcut) => s.keys && !(browser && s.window));
}

/** keysOf is what is shown beside an action. */
export function keysOf(id: ShortcutId): string {
  return shortcuts.find((s) => s.id === id)?.keys ?? '';
}

export interface Press {
  key: string;
  ctrl: boolean; // or Command
  shift: boolean;
  alt: boolean;
}

function one(keys: string, p: Press): boolean {
  const parts = keys.split('+');
  const key = parts[parts.length - 1] ?? '';
  const letter = /^[A-Z]$/.test(key);
  const pressed = p.key === '+' ? '=' : p.key.toLowerCase(); // one key on some keyboards, two on others
  if (pressed !== key.toLowerCase() || p.alt) return false;
  if (parts.includes('Ctrl') !== p.ctrl) return false;
  // A sign such as ? may need Shift on a keyboard; a letter or Enter must say so.
  return letter || key === 'Enter' ? parts.includes('Shift') === p.shift : true;
}

/** match finds the shortcut of a press; before is the press of a sequence's first key, '' none. While typing, only those with Ctrl count. */
export function match(p: Press, before: string, typing: boolean): ShortcutId | null {
  for (const s of shortcuts) {
    if (!s.keys || (typing && !s.keys.startsWith('Ctrl'))) continue;
    const [first, second] = s.keys.split(' ');
    if (second ? first === before && one(second, p) : !before && one(s.keys, p)) return s.id;
  }
  return null;
}

/** begins tells whether a press is the first key of a sequence. */
export function begins(p: Press): string {
  const hit = shortcuts.find((s) => s.keys.includes(' ') && one(s.keys.split(' ')[0] ?? '', p));
  return hit ? (hit.keys.split(' ')[0] ?? '') : '';
}
