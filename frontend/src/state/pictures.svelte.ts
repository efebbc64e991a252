// The pictures that go with a message that is being written. What the program makes of them is its own say: here only what
// cannot go at all is turned away, with a word.

import type { ModelImage, Picture } from '../api';
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

/** nameOf is what the picture n, from 0, of a message that was sent is called. */
export function nameOf(i: ModelImage, n: number): string {
  return t.pictures.of(n + 1, i.type.replace('image/', '').toUpperCase(), i.width, i.height);
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
        else if (this.items.length >= most) this.problem = t.pictures.tooMany(most); // others came meanwhile
        else this.#put(file.name, url);
      }
    }
  }

  /** again takes in the pictures of a message that was sent. */
  async again(images: readonly ModelImage[], get: (hash: string) => Promise<Picture>): Promise<void> {
    this.problem = '';
    for (const [n, i] of images.entries()) {
      if (this.items.length >= most) return void (this.problem = t.pictures.tooMany(most));
      try {
        const p = await get(i.hash);
        this.#put(nameOf(i, n), `data:${p.type};base64,${p.data}`);
      } catch {
        this.problem = `${nameOf(i, n)}. ${t.pictures.gone}`;
      }
    }
  }

  #put(name: string, url: string): void {
    this.items = [...this.items, { key: this.#next++, name, url }];
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
