// The pictures that go with a message that is being written. What the program makes of them is its own say: here only what
// cannot go at all is turned away, with a word.

import { t } from '../texts';

/** What the program takes; see model.ReadImage. */
export const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const most = 5; // in one message
const mostBytes = 15 * 2 ** 18;

export interface Attached {
  key: number;
  name: string;
  url: string; // data:
}

/** isPicture says whether a file is to be shown to the model; an SVG is text, and is quoted as such. */
export function isPicture(file: File): boolean {
  return file.type.startsWith('image/') && file.type !== 'image/svg+xml';
}

export class Pictures {
  items: Attached[] = $state.raw([]);
  problem = $state('');
  #next = 0;

  /** data is each picture as base64. */
  get data(): string[] {
    return this.items.map((i) => i.url.slice(i.url.indexOf(',') + 1));
  }

  async add(files: readonly File[]): Promise<void> {
    this.problem = '';
    for (const file of files) {
      if (!kinds.includes(file.type)) this.problem = t.pictures.otherKind(file.name);
      else if (file.size > mostBytes) this.problem = t.pictures.tooLarge(file.name);
      else if (this.items.length >= most) this.problem = t.pictures.tooMany(most);
      else {
        const url = await read(file);
        if (!url) this.problem = t.pictures.broken(file.name);
        else this.items = [...this.items, { key: this.#next++, name: file.name, url }];
      }
    }
  }

  remove(key: number): void {
    this.items = this.items.filter((i) => i.key !== key);
    this.problem = '';
  }

  clear(): void {
    this.items = [];
    this.problem = '';
  }
}

/** read gives the file as a data: address, '' where it is no picture that can be drawn. */
async function read(file: File): Promise<string> {
  try {
    const url = await new Promise<string>((resolve, reject) => {
      const r = new FileReader();
      r.onload = () => resolve(r.result as string);
      r.onerror = () => reject(r.error ?? new Error(file.name));
      r.readAsDataURL(file);
    });
    const image = new Image();
    image.src = url;
    await image.decode();
    return url;
  } catch {
    return '';
  }
}
