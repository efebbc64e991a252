// The page says nothing that does not come from the catalogue.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { en } from './en';
import { foreign } from './foreign';
import { figures } from './intl';
import { pseudo, pseudoText } from './pseudo';

const src = new URL('..', import.meta.url).pathname;
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((p) => /\.(svelte|ts)$/.test(p) && !/\.test\.ts$|\.d\.ts$|^texts\/|^api\/(fake|types)/.test(p))
  .sort()
  .map((path) => ({ path, source: readFileSync(join(src, path), 'utf8') }));

/** Strings that read like texts and are none: names, words of the Go side, code. */
const allowed: Record<string, string[]> = {
  'api/error.ts': ['AppError'],
  'api/index.ts': ['no isolation'],
  'state/format.ts': ['Python', 'JavaScript', 'TypeScript', 'Java', 'Rust', 'Ruby'],
  'state/words.ts': ['no isolation'],
  'ui/editor.ts': ['repeating-linear-gradient(135deg, transparent 0 6px, var(--line-soft) 6px 7px)'],
  'ui/margin.ts': ['cm-sign cm-sign-…'],
  'views/FolderDialog.svelte': ['/home/you/project'],
  'views/Prepare.svelte': ['npm.example.org'],
  'views/Settings.svelte': ['Google', 'code --goto {file}:{line}'],
  'views/start/TaskOptions.svelte': ['pytest -q'],
};

describe('texts in the source', () => {
  test.each(sources)('$path says nothing of its own', ({ path, source }) => {
    const found = foreign(path, source).filter((f) => !allowed[path]?.includes(f.text));
    expect(found, 'move these to texts/en and write {t.…} in their place').toEqual([]);
  });

  test.each<[string, string, string[]]>([
    ['between tags', '<p>Hello there</p>', ['Hello there']],
    ['one word', '<b>done</b>', ['done']],
    ['beside a value', '<p>in {n} days</p>', ['in', 'days']],
    ['an attribute', '<button title="Close it" aria-label="Close">×</button>', ['Close it', 'Close']],
    ['a placeholder with a value', '<input placeholder="in {folder}" />', ['in']],
    ['a part that is chosen', "<p>{n === 1 ? 'one' : 'many'}</p>", ['one', 'many']],
    ['a template', '<p>{`${n} left`}</p>', ['… left']],
    ['a list that is joined', "<p>{[a ? 'proven' : '', b].join(', ')}</p>", ['proven']],
    ['in a block', "{#if a}<p>{x || 'none'}</p>{:else}<i>no</i>{/if}", ['none', 'no']],
    ['of a component', '<Button text="done" label={a ? \'Stop\' : \'go on\'} />', ['done', 'Stop', 'go on']],
    ['in a handler', "<button onclick={() => say('It is done')}>{x}</button>", ['It is done']],
    ['in the script', '<script lang="ts">const a = { text: \'Saved\' }; let b: string = `${a} was written`;</script>', ['Saved', '… was written']],
    ['in a snippet', '{#snippet a()}<p>here</p>{/snippet}', ['here']],
    ['nothing', '<script lang="ts">import { t } from \'../texts\'; type A = \'Never Shown\'; const a = x === \'Enter\' ? t.a.b : el.querySelector(\'input, textarea\');</script><p class="dim note" data-testid="a b">{t.a.b} · {n} → <Kbd keys="Ctrl+K" /> Redgreen</p>', []],
  ])('it finds a text: %s', (_, source, want) => expect(foreign('A.svelte', source).map((f) => f.text)).toEqual(want));
  test('and in a module', () => expect(foreign('a.ts', "export const a = (n: number) => (n > 1 ? 'A few' : `only ${n} of them`);").map((f) => f.text)).toEqual(['A few', 'only … of them']));
});

describe('the catalogue', () => {
  const keys = Object.entries(en).flatMap(([part, texts]) => Object.keys(texts).map((k) => ({ part, k })));
  const all = sources.map((s) => s.source).join('\n');
  test('holds nothing that is said nowhere', () => {
    expect(keys.filter(({ part, k }) => !new RegExp(`\\bt\\.${part}(\\.${k}\\b|\\[)`).test(all)).map(({ part, k }) => `${part}.${k}`)).toEqual([]);
  });
  test.each([['en-US', 0, '0 files'], ['en-US', 1, '1 file'], ['en-US', 1234, '1,234 files'], ['de-DE', 1234, '1.234 files']])('%s counts %d', (tag, n, want) => {
    expect(figures(tag).count(n, { one: 'file', other: 'files' })).toBe(want);
  });
  test('figures are rounded as the Go side rounds them', () => expect(figures('en-US').usd(0.01245, 4)).toBe('$0.0124'));
  test('a language with more forms picks its own', () => {
    const forms = { one: 'plik', few: 'pliki', many: 'plików', other: 'pliku' };
    expect([1, 3, 5, 22].map((n) => figures('pl-PL').plural(n, forms))).toEqual(['plik', 'pliki', 'plików', 'pliki']);
  });
});

describe('the pseudo-locale', () => {
  test('is about 40 % longer, in brackets, and keeps what is no word', () => {
    const text = 'Nothing in your folder changes until you approve the whole patch.';
    const got = pseudoText(text);
    expect(got).toMatch(/^⟦Ñöţĥîîñ.*⟧$/);
    expect(got.length / text.length).toBeGreaterThan(1.3);
    expect(got.length / text.length).toBeLessThan(1.5);
    expect(pseudoText('start `redgreen serve`, **then** {}')).toMatch(/`redgreen serve`.*\*\*ţ.*\*\*.*\{\}/);
    expect(pseudoText('ms')).toBe('ɱš');
    expect(pseudoText('↵ · 12')).toBe('↵ · 12');
  });
  test('keeps keys and values, also through another text', () => {
    const p = pseudo({ a: { open: (path: string, n: number) => `Open ${path} and ${n} more`, kinds: { fix: 'Fix' }, list: ['one', 'two'] } });
    expect(p.a.open('src/a.py', 2)).toMatch(/^⟦Öþ.* src\/a\.py åñð 2 ɱ.*⟧$/);
    expect(p.a.open(p.a.kinds.fix, 2)).toContain(p.a.kinds.fix);
    expect(p.a.list).toHaveLength(2);
  });
});
