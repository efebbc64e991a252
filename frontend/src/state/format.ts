// Figures as people read them. Unknown is never shown as zero.

import { figures, t } from '../texts';

/** tokens gives 950, 18.4k, 1.2M. */
export function tokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 999_950) return t.figure.thousand(trim(n / 1000));
  return t.figure.million(trim(n / 1_000_000));
}

function trim(x: number): string {
  return figures.decimal(x, 0, x < 100 ? 1 : 0);
}

/** usd gives micro-dollars as dollars: $0.00 only for nothing, four digits below a cent. */
export function usd(micro: number): string {
  const d = micro / 1_000_000;
  if (micro === 0) return figures.usd(0, 2);
  if (d < 0.0001) return t.figure.lessUsd(figures.usd(0.0001, 4));
  if (d < 0.1) return figures.usd(d, 4);
  return figures.usd(d, 2);
}

/** cost is what a session cost: "local" for a model on this machine, "price unknown" where no price is known. */
export function cost(s: { local: boolean; priced: boolean; micro_usd: number; replies: number }): string {
  if (s.local) return t.figure.local;
  if (!s.priced && s.replies > 0) return t.figure.priceUnknown;
  return usd(s.micro_usd);
}

/** took gives a duration in the unit that fits: 11 ms, 1.2 s, 2 min 5 s. */
export function took(ms: number): string {
  if (ms < 1000) return t.figure.ms(figures.decimal(ms, 0));
  if (ms < 59_950) return t.figure.s(figures.decimal(ms / 1000, 1));
  const s = Math.round(ms / 1000);
  const min = figures.number(Math.floor(s / 60));
  return s % 60 === 0 ? t.figure.min(min) : t.figure.minS(min, String(s % 60));
}

/** bytes gives 512 B, 64 MB, 2 GB, in powers of 1024 as limits are set. */
export function bytes(n: number): string {
  let i = 0;
  while (n >= 1024 && i < t.figure.bytes.length - 1) {
    n /= 1024;
    i++;
  }
  return t.figure.bytes[i]?.(trim(n)) ?? '';
}

/** clock gives 0:41, 12:05, 1:02:09. */
export function clock(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  const h = Math.floor(s / 3600);
  const m = Math.floor(s / 60) % 60;
  return h > 0 ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

/** ago gives "just now", "5 min ago", "3 h ago", "yesterday", or the date. */
export function ago(iso: string, now: number): string {
  const then = Date.parse(iso);
  if (Number.isNaN(then)) return '';
  const min = Math.floor((now - then) / 60_000);
  if (min < 1) return t.figure.justNow;
  if (min < 60) return t.figure.minAgo(min);
  if (min < 24 * 60) return t.figure.hAgo(Math.floor(min / 60));
  if (min < 48 * 60) return t.figure.yesterday;
  return figures.date(then, { day: 'numeric', month: 'short', year: 'numeric' });
}

/** firstLine is a task as a title. */
export function firstLine(text: string, max = 90): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > max ? line.slice(0, max - 1).trimEnd() + '…' : line;
}

/** tail is a path with its beginning left out where it is long. */
export function tail(path: string, max = 48): string {
  return path.length <= max ? path : '…' + path.slice(path.length - max + 1);
}

const mostName = 80; // characters

/** plainName is a file's name as it can stand in a sentence: on one line, without characters that turn the text around them, and not without end. */
export function plainName(name: string): string {
  const plain = [...name.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(turning, '')];
  return plain.length > mostName ? `${plain.slice(0, 60).join('')}…${plain.slice(-mostName + 61).join('')}` : plain.join('');
}

/** These turn the direction of text, so that a name can look like another: RTL and LTR overrides, embeddings, isolates. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** baseName is the last element of a path of either system. */
export function baseName(path: string): string {
  const parts = path.split(/[\\/]/).filter(Boolean);
  return parts[parts.length - 1] ?? path;
}

const names: Record<string, string> = {
  python: 'Python', go: 'Go', javascript: 'JavaScript', typescript: 'TypeScript', tsx: 'TSX', jsx: 'JSX', java: 'Java', rust: 'Rust', c: 'C',
  cpp: 'C++', csharp: 'C#', ruby: 'Ruby', php: 'PHP', yaml: 'YAML', json: 'JSON', html: 'HTML', css: 'CSS',
};

/** language is a language's name as people write it. */
export function language(name: string): string {
  return names[name.toLowerCase()] ?? name;
}

/** pretty gives JSON arguments with indentation, and anything else as it is. */
export function pretty(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    return args;
  }
}
