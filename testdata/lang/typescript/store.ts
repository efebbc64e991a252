import { EventEmitter } from "node:events";

/** What a reader sees. */
export interface Snapshot<T> {
  readonly value: T;
  at(index: number): T;
}

export type Listener<T> = (value: T) => void;

enum Mode {
  Read,
  Write,
}

export namespace Keys {
  export function of(name: string): string {
    return name.toLowerCase();
  }
}

function sealed(target: Function) {}

abstract class Base<T> {
  abstract load(): Promise<T>;
}

// Holds one value and tells listeners.
@sealed
export class Store<T> extends Base<T> implements Snapshot<T> {
  private listeners = new Set<Listener<T>>();

  constructor(private current: T) {
    super();
  }

  get value(): T {
    return this.current;
  }

  @logged
  set(next: T): void {
    this.current = next;
    this.listeners.forEach((l) => l(next));
  }

  load = async (): Promise<T> => {
    return this.current;
  };

  at(index: number): T {
    return this.current;
  }
}

export function open(path: string): Store<string>;
export function open(path: URL): Store<string>;
export function open(path: string | URL): Store<string> {
  return new Store(String(path));
}

export const debounce = <A extends unknown[]>(fn: (...args: A) => void, ms = 10) => {
  let timer: number | undefined;
  return (...args: A) => {
    clearTimeout(timer);
  };
};

export const MAX_LISTENERS: number = 10;
const names: string[] = [];
