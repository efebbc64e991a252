// Figures as people read them. Unknown is never shown as zero.

const number = new Intl.NumberFormat('en-US');

/** count gives "1 file", "14 files". */
export function count(n: number, one: string, many = one + 's'): string {
  return `${number.format(n)} ${n === 1 ? one : many}`;
}

/** tokens gives 950, 18.4k, 1.2M. */
export function tokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 999_950) return `${trim(n / 1000)}k`;
  return `${trim(n / 1_000_000)}M`;
}

function trim(x: number): string {
  return x < 100 ? x.toFixed(1).replace(/\.0$/, '') : x.toFixed(0);
}

/** usd gives micro-dollars as dollars: $0.00 only for nothing, four digits below a cent. */
export function usd(micro: number): string {
  const d = micro / 1_000_000;
  if (micro === 0) return '$0.00';
  if (d < 0.0001) return '< $0.0001';
  if (d < 0.1) return `$${d.toFixed(4)}`;
  return `$${d.toFixed(2)}`;
}

/** cost is what a session cost: "local" for a model on this machine, "price unknown" where no price is known. */
export function cost(s: { local: boolean; priced: boolean; micro_usd: number; replies: number }): string {
  if (s.local) return 'local';
  if (!s.priced && s.replies > 0) return 'price unknown';
  return usd(s.micro_usd);
}

/** took gives a duration in the unit that fits: 11 ms, 1.2 s, 2 min 5 s. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  return s % 60 === 0 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 60)} min ${s % 60} s`;
}

/** bytes gives 512 B, 64 MB, 2 GB, in powers of 1024 as limits are set. */
export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return `${trim(n)} ${units[i]}`;
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
  if (min < 1) return 'just now';
  if (min < 60) return `${min} min ago`;
  if (min < 24 * 60) return `${Math.floor(min / 60)} h ago`;
  if (min < 48 * 60) return 'yesterday';
  return new Date(then).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
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
