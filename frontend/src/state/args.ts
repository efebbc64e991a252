// A test command is an argument list, never a shell string: quotes group, a backslash takes the next character as it is,
// and nothing else has a meaning.

/** splitArgs cuts what a person typed into arguments; null when a quote is left open. */
export function splitArgs(text: string): string[] | null {
  const out: string[] = [];
  let word = '';
  let inWord = false;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i] as string;
    if (quote) {
      if (c === quote) quote = '';
      else if (c === '\\' && quote === '"' && i + 1 < text.length) word += text[++i];
      else word += c;
    } else if (c === '"' || c === "'") {
      quote = c;
      inWord = true;
    } else if (c === '\\' && i + 1 < text.length) {
      word += text[++i];
      inWord = true;
    } else if (/\s/.test(c)) {
      if (inWord) out.push(word);
      word = '';
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (quote) return null;
  if (inWord) out.push(word);
  return out;
}

/** joinArgs is the inverse, for showing. */
export function joinArgs(args: string[]): string {
  return args.map((a) => (a !== '' && /^[^\s"'\\]+$/.test(a) ? a : `"${a.replace(/["\\]/g, '\\$&')}"`)).join(' ');
}
