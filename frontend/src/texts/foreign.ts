// Finds texts that do not come from the catalogue, in the source of a component or a module. Only the tests use it.

import { parse } from 'svelte/compiler';

export interface Foreign {
  text: string;
  line: number;
}

/** Attributes that a person sees or hears, of elements and of our own components. */
const shown = new Set(['title', 'placeholder', 'alt', 'label', 'text', 'hint', 'word', 'caption', 'summary', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'aria-placeholder']);

/** Attributes whose values are no words for people, whatever they look like. */
const silent = /^(class|style|d|viewBox|id|for|role|type|name|href|src|rel|form|autocomplete|aria-(live|controls|labelledby|describedby|keyshortcuts|haspopup|current|activedescendant)|data-.*|testid|keys|colour)$/;

/** Names, keys and signs that are the same in every language. */
const same = /\b(Redgreen|Enter|Escape|Tab|Home|End|ArrowUp|ArrowDown|ArrowLeft|ArrowRight|Page(Up|Down)|Shift|Ctrl|Control|Alt|Meta|Ollama|OpenAI|Azure|Amazon Bedrock|Anthropic|Gemini|OpenRouter|LM Studio|llama\.cpp|px|kB|MB|GB)\b/g;

/** Calls whose strings are for the browser, the editor or the Go side: selectors, style rules, names. */
const technical = /^(querySelector|querySelectorAll|closest|matches|matchMedia|getPropertyValue|theme|define|setAttribute|RegExp|import|getElementById|startsWith|endsWith|includes|split|replace|replaceAll|call)$/;

const words = (s: string) => /\p{L}{2,}/u.test(s.replace(same, ''));
/** Where nothing tells that a string is shown: several words, or one with a capital. */
const prose = (s: string) => /\p{L}[.,:;!?…’)]* +[(“‘]?\p{L}{2,}/u.test(s.replace(same, '')) || /^\p{Lu}\p{Ll}{2,}/u.test(s.replace(same, ''));

type Node = { type: string; start: number; [key: string]: unknown };
const isNode = (x: unknown): x is Node => typeof x === 'object' && x !== null && typeof (x as Node).type === 'string';

/** said is what a string or a template says itself, without its values; null of anything else. */
function said(n: Node): string | null {
  if (n.type === 'Literal' && typeof n.value === 'string') return n.value;
  if (n.type !== 'TemplateLiteral') return null;
  return (n.quasis as { value: { cooked?: string } }[]).map((q) => q.value.cooked ?? '').join('\u0001');
}

function nameOf(callee: unknown): string {
  if (!isNode(callee)) return '';
  return String(callee.type === 'MemberExpression' ? (callee.property as Node).name : callee.name);
}

class Finder {
  readonly found: Foreign[] = [];
  constructor(readonly source: string) {}

  add(n: Node, text: string): void {
    this.found.push({ text: text.replaceAll('\u0001', '…').trim(), line: this.source.slice(0, n.start).split('\n').length });
  }

  /** markup walks what is drawn: texts between tags, attributes, and the expressions in both. */
  markup(x: unknown): void {
    if (Array.isArray(x)) return x.forEach((y) => this.markup(y));
    if (!isNode(x)) return;
    if (x.type === 'Text') return words(String(x.data)) ? this.add(x, String(x.data)) : undefined;
    if (x.type === 'Comment') return;
    if (x.type === 'Attribute') return this.attribute(x);
    if (x.type === 'ExpressionTag') return this.value(x.expression);
    for (const [key, y] of Object.entries(x)) {
      if (['fragment', 'nodes', 'body', 'fallback', 'consequent', 'alternate', 'attributes', 'pending', 'then', 'catch'].includes(key)) this.markup(y);
      else if (key !== 'metadata') this.code(y);
    }
  }

  attribute(a: Node): void {
    const name = String(a.name);
    if (a.value === true || silent.test(name)) return;
    for (const v of Array.isArray(a.value) ? a.value : [a.value]) {
      if (!isNode(v)) continue;
      if (v.type === 'ExpressionTag') shown.has(name) ? this.value(v.expression) : this.code(v.expression);
      else if ((shown.has(name) ? words : prose)(String(v.data))) this.add(v, String(v.data));
    }
  }

  /** value walks an expression whose result is shown: any word in it counts. */
  value(x: unknown): void {
    if (!isNode(x)) return;
    const text = said(x);
    if (text !== null && words(text)) return this.add(x, text);
    switch (x.type) {
      case 'ConditionalExpression':
        this.code(x.test);
        this.value(x.consequent);
        return this.value(x.alternate);
      case 'LogicalExpression':
        this.value(x.left);
        return this.value(x.right);
      case 'BinaryExpression':
        return x.operator === '+' ? (this.value(x.left), this.value(x.right)) : this.code(x);
      case 'TemplateLiteral':
        return (x.expressions as unknown[]).forEach((e) => this.value(e));
      case 'ArrayExpression':
        return (x.elements as unknown[]).forEach((e) => this.value(e));
      case 'CallExpression': // what is called on: [a, b].join(…)
        if ((x.callee as Node).type === 'MemberExpression') this.value((x.callee as Node).object);
        return this.code(x.arguments);
      default:
        return this.code(x);
    }
  }

  /** code walks any other code: what reads like a text counts. */
  code(x: unknown): void {
    if (Array.isArray(x)) return x.forEach((y) => this.code(y));
    if (!isNode(x)) return;
    if (x.type === 'Fragment') return this.markup(x);
    if (x.type === 'ImportDeclaration' || x.type === 'ImportExpression') return;
    if (x.type.startsWith('TS')) return 'expression' in x ? this.code(x.expression) : undefined;
    if (x.type === 'BinaryExpression' && /^[=!]=/.test(String(x.operator))) return;
    if ((x.type === 'CallExpression' || x.type === 'NewExpression') && technical.test(nameOf(x.callee))) return this.code((x.callee as Node).object);
    const text = said(x);
    if (text !== null && prose(text)) return this.add(x, text);
    for (const [key, y] of Object.entries(x)) {
      if (key === 'metadata' || key === 'typeAnnotation' || (key === 'key' && !x.computed)) continue;
      this.code(y);
    }
  }
}

/** foreign gives the texts of a file that do not come from the catalogue. */
export function foreign(path: string, source: string): Foreign[] {
  const component = path.endsWith('.svelte');
  const ast = parse(component ? source : `<script lang="ts">${source}</script>`, { modern: true });
  const f = new Finder(source);
  for (const s of [ast.module, ast.instance]) if (s) f.code((s as unknown as Node).content);
  if (component) f.markup(ast.fragment);
  return f.found.sort((a, b) => a.line - b.line);
}
