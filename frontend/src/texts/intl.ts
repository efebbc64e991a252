// Figures, dates and plurals of a language, all by Intl.

export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

export interface Figures {
  /** number gives a whole number: 1,024. */
  number(n: number): string;
  /** decimal gives at least and at most so many digits behind the point: 18.4. */
  decimal(x: number, least: number, most?: number): string;
  /** plural picks the form that goes with a number. */
  plural(n: number, forms: Forms): string;
  /** count gives "1 file", "1,024 files". */
  count(n: number, forms: Forms): string;
  /** usd gives dollars with so many digits behind the point. */
  usd(dollars: number, digits: number): string;
  date(ms: number, how: Intl.DateTimeFormatOptions): string;
}

/** once keeps what was made: a formatter takes longer to make than to use. */
function once<T>(make: (least: number, most: number) => T): (least: number, most: number) => T {
  const made = new Map<number, T>();
  return (least, most) => {
    const key = least * 100 + most;
    const x = made.get(key) ?? make(least, most);
    made.set(key, x);
    return x;
  };
}

/** round rounds the binary number, as the Go side does; Intl would round its shortest decimal. */
const round = (x: number, digits: number) => Number(x.toFixed(digits));

/** figures gives those of a language; dates may be written as in another place. */
export function figures(tag: string, dates = tag): Figures {
  const whole = new Intl.NumberFormat(tag);
  const rules = new Intl.PluralRules(tag);
  const decimals = once((least, most) => new Intl.NumberFormat(tag, { minimumFractionDigits: least, maximumFractionDigits: most, useGrouping: false }));
  const dollars = once((least, most) => new Intl.NumberFormat(tag, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', minimumFractionDigits: least, maximumFractionDigits: most }));
  const plural = (n: number, forms: Forms) => forms[rules.select(n)] ?? forms.other;
  return {
    plural,
    number: (n) => whole.format(n),
    decimal: (x, least, most = least) => decimals(least, most).format(round(x, most)),
    count: (n, forms) => `${whole.format(n)} ${plural(n, forms)}`,
    usd: (x, digits) => dollars(digits, digits).format(round(x, digits)),
    date: (ms, how) => new Intl.DateTimeFormat(dates, how).format(ms),
  };
}
