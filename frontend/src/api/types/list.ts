// A nil slice of Go arrives as null, so every list may be null; read them through list() of state/lists.ts.

export type List<T> = T[] | null | undefined;
