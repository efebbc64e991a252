// What comes of a drop on the window: a folder is opened, the folder of a file is offered, of anything else it is said why not.

import type { Dropped } from '../api/types';
import { t } from '../texts';
import { baseName, plainName } from './format';

/** Outcome of a drop; null: whoever it was dropped on has taken it. */
export type Outcome = { open: string } | { offer: Dropped } | { say: string } | null;

/** outcome decides on all that was dropped at once; onField: on a field, which quotes files; open is the path of the open folder, '' none. */
export function outcome(items: readonly Dropped[], onField: boolean, open: string): Outcome {
  const one = items[0];
  if (!one || (onField && items.every((i) => i.kind === 'file'))) return null;
  if (items.length > 1) return { say: t.drop.several(items.length) };
  if (one.kind === 'folder') return { open: one.path };
  if (one.kind === 'gone') return { say: t.drop.gone(plainName(one.path)) };
  if (one.kind === 'other') return { say: t.drop.other(plainName(one.path)) };
  return inside(one.path, open) ? { say: t.drop.inside(plainName(baseName(one.path))) } : { offer: one };
}

function inside(path: string, folder: string): boolean {
  return folder !== '' && (path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`));
}

/** carried is how the files of a drag are known: to the page, or, as paths, to the window alone; '' it has none. WebKitGTK 2.50.6 shows
 * the page no file of a drag, only that there are addresses. */
export function carried(data: DataTransfer | null, browser: boolean): 'files' | 'paths' | '' {
  if (data?.types.includes('Files')) return 'files';
  return !browser && data?.types.includes('text/uri-list') ? 'paths' : '';
}

/** entries are what a browser tells of a drop: names, and which are folders. */
export function entries(data: DataTransfer | null): Dropped[] {
  return [...(data?.items ?? [])].filter((i) => i.kind === 'file').map((i) => {
    const name = i.webkitGetAsEntry()?.name ?? i.getAsFile()?.name ?? '';
    return { path: name, kind: i.webkitGetAsEntry()?.isDirectory ? 'folder' : 'file', folder: '' };
  });
}
