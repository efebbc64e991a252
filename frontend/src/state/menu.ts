// The menu of the desktop window: which acts of the shortcut table stand where. The Go side reads it from the built page, draws
// it, and sends back the id of what is chosen.

import type { Texts } from '../texts';
import { keysOf, type ShortcutId } from './shortcuts';

type Place = ShortcutId | 'recent' | '-'; // the folders opened lately; a line between

const menus: { name: 'file' | 'view' | 'run' | 'help'; items: Place[] }[] = [
  { name: 'file', items: ['open', 'sample', 'recent', '-', 'new', '-', 'settings', 'quit'] },
  { name: 'view', items: ['search', 'task', 'sessions', '-', 'larger', 'smaller', 'normal', '-', 'system', 'light', 'dark', '-', 'trace', 'failure', 'change', 'question', '-', 'layout', 'blanks'] },
  { name: 'run', items: ['pause', 'cancel', 'replay', '-', 'write', 'reject', 'undo'] },
  { name: 'help', items: ['help', 'doctor'] },
];

/** An item with '' as id is a line between others, or a menu of items. keys are a shortcut that works everywhere, '' none. */
export interface MenuItem {
  id: string;
  label: string;
  keys: string;
  items?: MenuItem[];
}

function item(id: Place, t: Texts): MenuItem {
  if (id === '-') return { id: '', label: '', keys: '' };
  if (id === 'recent') return { id, label: t.menu.recent, keys: '' };
  const keys = keysOf(id);
  return { id, label: t.menu.items[id] ?? t.help.keys[id], keys: keys.startsWith('Ctrl+') ? keys : '' };
}

/** nativeMenu is the menu in the words of a catalogue. */
export function nativeMenu(t: Texts): MenuItem[] {
  return menus.map((m) => ({ id: '', label: t.menu[m.name], keys: '', items: m.items.map((id) => item(id, t)) }));
}
