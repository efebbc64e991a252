// The pseudo-locale: the English texts with accents, about 40 % longer, in brackets. What is cut, what does not come from the
// catalogue and what is put together of pieces shows at a glance, without a translation. Values stay as they are.

const accents: Record<string, string> = {
  a: 'å', b: 'ƀ', c: 'ç', d: 'ð', e: 'é', f: 'ƒ', g: 'ĝ', h: 'ĥ', i: 'î', j: 'ĵ', k: 'ķ', l: 'ļ', m: 'ɱ', n: 'ñ', o: 'ö', p: 'þ', q: 'ǫ', r: 'ŕ', s: 'š', t: 'ţ', u: 'û', v: 'ṽ', w: 'ŵ', x: 'ẋ', y: 'ý', z: 'ž',
  A: 'Å', B: 'Ɓ', C: 'Ç', D: 'Ð', E: 'É', F: 'Ƒ', G: 'Ĝ', H: 'Ĥ', I: 'Î', J: 'Ĵ', K: 'Ķ', L: 'Ļ', M: 'Ṁ', N: 'Ñ', O: 'Ö', P: 'Þ', Q: 'Ǫ', R: 'Ŕ', S: 'Š', T: 'Ţ', U: 'Û', V: 'Ṽ', W: 'Ŵ', X: 'Ẋ', Y: 'Ý', Z: 'Ž',
};
const vowels = /[aeiouyAEIOUY]/;

/** By how much a text grows: German strings of a sentence or more are 30 to 40 % longer than English ones. */
const longer = 0.4;

/** A value of a function stands between these while its text is made. */
const [from, to] = ['\uE000', '\uE001'];

/** Left alone: values, code between backticks, and the hole of a text that has one. */
const kept = new RegExp(`(${from}[^${to}]*${to}|\`[^\`]*\`|\\{\\})`);

/** accented gives a text its accents and doubles vowels, so that words grow within themselves and are as hard to break as real ones. */
function accented(text: string, by: number): string {
  let debt = 0;
  let out = '';
  for (const c of text) {
    debt += /\s/.test(c) ? 0 : by;
    const more = vowels.test(c) && debt >= 1 ? 1 : 0;
    debt -= more;
    out += (accents[c] ?? c).repeat(1 + more);
  }
  return out;
}

/** pseudoText gives one text; a unit of a letter or two gets its accents only. */
export function pseudoText(text: string): string {
  const parts = text.split(kept);
  const own = (i: number) => i % 2 === 0;
  const letters = parts.filter((_, i) => own(i)).join('').replace(/\P{L}/gu, '').length;
  if (letters === 0) return bare(text);
  const unit = letters < 3;
  const made = bare(parts.map((s, i) => (own(i) ? accented(s, unit ? 0 : longer) : s)).join(''));
  if (unit) return made;
  const missing = Math.max(0, Math.round(letters * longer) - (made.length - bare(text).length));
  return `⟦${made}${'~'.repeat(missing)}⟧`;
}

const bare = (s: string) => s.replaceAll(from, '').replaceAll(to, '');

function value(x: unknown): unknown {
  if (Array.isArray(x)) return x.map(value);
  return typeof x === 'string' && x !== '' ? from + x + to : x;
}

/** pseudo makes the pseudo-locale of a catalogue: every key stays, a function gives the pseudo text of what it gave. */
export function pseudo<T>(x: T): T {
  if (typeof x === 'string') return pseudoText(x) as T;
  if (typeof x === 'function') return ((...args: unknown[]) => pseudo(x(...args.map(value)))) as T;
  if (Array.isArray(x)) return x.map(pseudo) as T;
  if (typeof x === 'object' && x !== null) return Object.fromEntries(Object.entries(x).map(([k, v]) => [k, pseudo(v)])) as T;
  return x;
}
