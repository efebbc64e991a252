// The pictures that go with a message that is being written. What a picture is, and what of its file goes along, the program
// says: nothing is drawn here that it has not read. Here only what cannot go at all is turned away, with a word.

import type { AppError, ModelImage, Picture } from '../api';
import { t } from '../texts';
import { plainName } from './format';

/** What the program takes; see model.ReadImage. */
export const kinds = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const most = 5; // in one message
const mostBytes = 15 * 2 ** 18;
const mostProblems = 3; // that are said at once

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
  problems: string[] = $state.raw([]);
  reading = $state(0); // how many are being read
  #next = 0;
  #last: Promise<unknown> = Promise.resolve();
  readonly #read: (data: string) => Promise<Picture>;

  /** read is the program's own look at a picture, as base64. */
  constructor(read: (data: string) => Promise<Picture>) {
    this.#read = read;
  }

  /** data is each picture as base64. */
  get data(): string[] {
    return this.items.map((i) => i.url.slice(i.url.indexOf(',') + 1));
  }

  /** add takes in files one after the other, also of those that come while others are read: few are in memory at once. */
  add(files: readonly File[]): Promise<void> {
    return this.#after(async () => {
      let full = false;
      for (const file of files) {
        if (this.items.length < most) await this.#one(file);
        else full = true;
      }
      if (full) this.#wrong(t.pictures.tooMany(most));
    });
  }

  /** paste takes in what the program finds on the clipboard, if that is a picture. */
  paste(get: () => Promise<Picture>): Promise<void> {
    return this.#after(async () => {
      try {
        const p = await get();
        if (p.data && this.items.length < most) this.#put(t.pictures.pasted, p);
        else if (p.data) this.#wrong(t.pictures.tooMany(most));
      } catch (e) {
        this.#wrong(`${t.pictures.pasted}: ${(e as AppError).message}.`);
      }
    });
  }

  /** again takes in the pictures of a message that was sent. */
  again(images: readonly ModelImage[], get: (hash: string) => Promise<Picture>): Promise<void> {
    return this.#after(async () => {
      for (const [n, i] of images.entries()) {
        if (this.items.length >= most) return this.#wrong(t.pictures.tooMany(most));
        try {
          this.#put(nameOf(i, n), await get(i.hash));
        } catch {
          this.#wrong(`${nameOf(i, n)}. ${t.pictures.gone}`);
        }
      }
    });
  }

  /** settled waits until what is being read is read. False: one of it cannot go, and the person has not seen that yet. */
  async settled(): Promise<boolean> {
    if (this.reading === 0) return true;
    await this.#last;
    return this.problems.length === 0;
  }

  async #after(act: () => Promise<void>): Promise<void> {
    if (this.reading++ === 0) this.problems = [];
    const done = this.#last.then(act).finally(() => this.reading--);
    this.#last = done;
    await done;
  }

  async #one(file: File): Promise<void> {
    const name = plainName(file.name);
    if (!kinds.includes(file.type)) return this.#wrong(t.pictures.otherKind(name));
    if (file.size > mostBytes) return this.#wrong(t.pictures.tooLarge(name));
    const data = await base64(file);
    if (data === null) return this.#wrong(t.pictures.unread(name));
    try {
      this.#put(name, await this.#read(data));
    } catch (e) {
      this.#wrong(`${name}: ${(e as AppError).message}.`);
    }
  }

  #put(name: string, p: Picture): void {
    this.items = [...this.items, { key: this.#next++, name, url: `data:${p.type};base64,${p.data}` }];
  }

  #wrong(why: string): void {
    this.problems = [...this.problems, why];
  }

  /** said are the problems, the last of many in one line. */
  get said(): string[] {
    const more = this.problems.length - mostProblems;
    return more > 0 ? [...this.problems.slice(0, mostProblems), t.pictures.more(more)] : this.problems;
  }

  remove(key: number): void {
    this.items = this.items.filter((i) => i.key !== key);
    this.problems = [];
  }

  clear(): void {
    this.items = [];
    this.problems = [];
  }
}

/** base64 are the file's bytes, null where they cannot be read. */
function base64(file: File): Promise<string | null> {
  return new Promise((resolve) => {
    const r = new FileReader();
    r.onload = () => resolve((r.result as string).replace(/^[^,]*,?/, ''));
    r.onerror = () => resolve(null);
    r.readAsDataURL(file);
  });
}
