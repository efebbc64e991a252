// Keys as they are drawn: "Ctrl+Shift+Enter" is "Ctrl ⇧ ↵", "G S" stays.

import { t } from '../texts';

export const drawn = (keys: string) => keys.split(/[+ ]/).map((k) => t.keys[k] ?? k).join(' ');
