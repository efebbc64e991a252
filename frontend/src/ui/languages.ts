// Syntax by file name; each language is a chunk of its own, fetched when a file of it is first shown.

import type { LanguageSupport } from '@codemirror/language';
import type { Extension } from '@codemirror/state';

type Load = () => Promise<LanguageSupport | Extension>;

const js = (o: { jsx?: boolean; typescript?: boolean }): Load => async () => (await import('@codemirror/lang-javascript')).javascript(o);

async function legacy(name: 'ruby' | 'csharp' | 'shell' | 'toml' | 'kotlin'): Promise<Extension> {
  const { StreamLanguage } = await import('@codemirror/language');
  switch (name) {
    case 'ruby':
      return StreamLanguage.define((await import('@codemirror/legacy-modes/mode/ruby')).ruby);
    case 'csharp':
      return StreamLanguage.define((await import('@codemirror/legacy-modes/mode/clike')).csharp);
    case 'kotlin':
      return StreamLanguage.define((await import('@codemirror/legacy-modes/mode/clike')).kotlin);
    case 'shell':
      return StreamLanguage.define((await import('@codemirror/legacy-modes/mode/shell')).shell);
    case 'toml':
      return StreamLanguage.define((await import('@codemirror/legacy-modes/mode/toml')).toml);
  }
}

const python: Load = async () => (await import('@codemirror/lang-python')).python();
const cpp: Load = async () => (await import('@codemirror/lang-cpp')).cpp();
const yaml: Load = async () => (await import('@codemirror/lang-yaml')).yaml();
const html: Load = async () => (await import('@codemirror/lang-html')).html();

const byExtension: Record<string, Load> = {
  py: python, pyi: python,
  js: js({ jsx: true }), mjs: js({}), cjs: js({}), jsx: js({ jsx: true }),
  ts: js({ typescript: true }), mts: js({ typescript: true }), cts: js({ typescript: true }), tsx: js({ typescript: true, jsx: true }),
  go: async () => (await import('@codemirror/lang-go')).go(),
  java: async () => (await import('@codemirror/lang-java')).java(),
  rs: async () => (await import('@codemirror/lang-rust')).rust(),
  c: cpp, h: cpp, cc: cpp, cpp, cxx: cpp, hpp: cpp, hh: cpp,
  php: async () => (await import('@codemirror/lang-php')).php(),
  json: async () => (await import('@codemirror/lang-json')).json(),
  css: async () => (await import('@codemirror/lang-css')).css(),
  md: async () => (await import('@codemirror/lang-markdown')).markdown(),
  html, htm: html, yml: yaml, yaml,
  rb: () => legacy('ruby'), cs: () => legacy('csharp'), kt: () => legacy('kotlin'), sh: () => legacy('shell'), toml: () => legacy('toml'),
};

/** languageOf gives the syntax of a file; nothing for one that we do not know, or whose syntax cannot be loaded. */
export async function languageOf(path: string): Promise<Extension> {
  const load = byExtension[path.split('.').pop()?.toLowerCase() ?? ''];
  if (!load) return [];
  try {
    return await load();
  } catch {
    return [];
  }
}
