// The one table of shortcuts: what the help overlay lists and what the keys do. A sequence is written "G S".

export const shortcuts = [
  { id: 'help', keys: '?', text: 'Show this help', group: 'Everywhere' },
  { id: 'search', keys: 'Ctrl+K', text: 'Search files, symbols, behaviour', group: 'Everywhere' },
  { id: 'open', keys: 'Ctrl+O', text: 'Open a folder', group: 'Everywhere' },
  { id: 'settings', keys: 'Ctrl+,', text: 'Settings', group: 'Everywhere' },
  { id: 'start', keys: 'G H', text: 'Go to the start', group: 'Everywhere' },
  { id: 'task', keys: 'G T', text: 'Go to the task', group: 'Everywhere' },
  { id: 'sessions', keys: 'G S', text: 'Go to the sessions', group: 'Everywhere' },
  { id: 'doctor', keys: 'G D', text: 'Go to the doctor', group: 'Everywhere' },
  { id: 'new', keys: 'G N', text: 'New task in this folder', group: 'Task' },
  { id: 'compose', keys: '/', text: 'Write a message', group: 'Task' },
  { id: 'send', keys: 'Ctrl+Enter', text: 'Send what is written', group: 'Task' },
  { id: 'cancel', keys: 'Ctrl+.', text: 'Cancel the run', group: 'Task' },
  { id: 'trace', keys: 'T', text: 'Show or hide the trace (narrow windows)', group: 'Task' },
  { id: 'failure', keys: 'F', text: 'Next failure in the trace', group: 'Task' },
  { id: 'next', keys: 'N', text: 'Next change', group: 'Diff' },
  { id: 'previous', keys: 'P', text: 'Previous change', group: 'Diff' },
  { id: 'nextFile', keys: ']', text: 'Next file', group: 'Diff' },
  { id: 'previousFile', keys: '[', text: 'Previous file', group: 'Diff' },
  { id: 'leave', keys: 'X', text: 'Leave the change out, or take it', group: 'Diff' },
  { id: 'comment', keys: 'C', text: 'Comment on the change', group: 'Diff' },
  { id: 'edit', keys: 'E', text: 'Edit the file in place, or be done with it', group: 'Diff' },
  { id: 'viewed', keys: 'V', text: 'Mark the file as viewed, and fold it', group: 'Diff' },
  { id: 'blanks', keys: 'B', text: 'Show or hide changes of blanks', group: 'Diff' },
  { id: 'why', keys: 'W', text: 'Which step made this change', group: 'Diff' },
  { id: 'layout', keys: 'D', text: 'Side by side or unified', group: 'Diff' },
  { id: 'write', keys: 'Ctrl+Shift+Enter', text: 'Write the patch into the folder', group: 'Decision' },
  { id: 'reject', keys: 'R', text: 'Reject, with or without a comment', group: 'Decision' },
  { id: 'undo', keys: 'U', text: 'Take back what was written', group: 'Decision' },
] as const;

export type ShortcutId = (typeof shortcuts)[number]['id'];

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
  if (p.key.toLowerCase() !== key.toLowerCase() || p.alt) return false;
  if (parts.includes('Ctrl') !== p.ctrl) return false;
  // A sign such as ? may need Shift on a keyboard; a letter or Enter must say so.
  return letter || key === 'Enter' ? parts.includes('Shift') === p.shift : true;
}

/** match finds the shortcut of a press; before is the press of a sequence's first key, '' none. While typing, only those with Ctrl count. */
export function match(p: Press, before: string, typing: boolean): ShortcutId | null {
  for (const s of shortcuts) {
    if (typing && !s.keys.startsWith('Ctrl')) continue;
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
