// Which parts of a line answer a query.

export interface Part {
  text: string;
  hit: boolean;
}

/** words are the words of a query that are worth marking. */
export function words(query: string): string[] {
  return [...new Set(query.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
}

/** mark cuts a text into hits and the rest, without regard to case. */
export function mark(text: string, query: string): Part[] {
  const ws = words(query).map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).sort((a, b) => b.length - a.length);
  if (ws.length === 0) return [{ text, hit: false }];
  return text
    .split(new RegExp(`(${ws.join('|')})`, 'giu'))
    .map((t, i) => ({ text: t, hit: i % 2 === 1 }))
    .filter((p) => p.text !== '');
}
