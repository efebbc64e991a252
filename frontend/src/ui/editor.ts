// How code looks and behaves wherever it is shown: read-only, wrapped (nothing of a change may hide beyond the right
// edge), with invisible and direction-changing characters made visible, all colours from the tokens.

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, drawSelection, highlightSpecialChars, keymap, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { t } from '../texts';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.self, tags.null, tags.bool], color: 'var(--syn-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.character], color: 'var(--syn-string)' },
  { tag: [tags.comment, tags.meta], color: 'var(--syn-comment)' },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.function(tags.variableName), tags.function(tags.propertyName), tags.heading], color: 'var(--syn-function)' },
  { tag: [tags.number, tags.atom], color: 'var(--syn-number)' },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], color: 'var(--syn-type)' },
]);

const hatch = 'repeating-linear-gradient(135deg, transparent 0 6px, var(--line-soft) 6px 7px)';

const look = EditorView.theme({
  // Before a line stands its number, then the sign of a change. Both are drawn with the line itself: gutters of the editor component
  // are a second and a third column, of which every row is made anew when other lines come into sight.
  '&': { backgroundColor: 'transparent', color: 'var(--text)', fontSize: 'var(--code)', '--numbers': 'max(38px, calc(var(--digits) * 0.6 * var(--code) + 14px))', '--before': 'calc(var(--numbers) + 16px)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: 'round(1.7em, 1px)', fontVariantLigatures: 'none', overflowX: 'hidden' }, // whole pixels: what is not yet drawn is as high as it was guessed
  '.cm-content': { padding: '0', caretColor: 'transparent' },
  '.cm-content:focus-visible': { outline: 'none' },
  '.cm-scroller:has(> .cm-content:focus-visible)::after': { content: '""', position: 'absolute', inset: '0', border: '2px solid var(--focus)', pointerEvents: 'none', zIndex: '1' }, // above the lines
  '.cm-line': { position: 'relative', padding: '0 12px 0 calc(var(--before) + 4px)' },
  '.cm-line::before': { content: 'attr(data-line)', content_2: 'attr(data-line) / ""', left: '0', width: 'calc(var(--numbers) - 6px)', textAlign: 'right', color: 'var(--text-3)', fontVariantNumeric: 'tabular-nums' },
  '.cm-line::before, .cm-changedLine::after, .cm-deletedLine::before': { position: 'absolute', top: '0', textIndent: '0', whiteSpace: 'pre' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--text-3)', border: 'none' },
  '.cm-margin': { width: '14px' },
  '.cm-margin .cm-gutterElement': { textAlign: 'center' },
  '.cm-sign': { color: 'var(--amber)', cursor: 'help' },
  '.cm-sign-look': { fontWeight: '700' },
  '&:not(.cm-writing) .cm-cursor': { display: 'none' },
  '&.cm-writing': { boxShadow: 'inset 2px 0 0 var(--blue)' },
  '&.cm-writing .cm-cursor': { borderLeftColor: 'var(--text)' },
  // the bar above a hunk
  '.cm-hunk': { fontFamily: 'var(--font)', fontSize: 'var(--sm)', lineHeight: '1.4', background: 'var(--bg)', borderBlock: '1px solid var(--line-soft)', overflow: 'hidden', marginLeft: '-300px', paddingLeft: 'calc(300px + var(--before))', boxSizing: 'border-box' },
  '.cm-hunk-row': { display: 'flex', alignItems: 'center', gap: '4px', height: '28px', padding: '0 8px 0 4px', whiteSpace: 'nowrap' },
  '.cm-hunk label': { display: 'flex', alignItems: 'center', gap: '8px', cursor: 'pointer', color: 'var(--text-2)', flex: 'none' },
  '.cm-hunk input[type=checkbox]': { width: '15px', height: '15px', margin: '0', accentColor: 'var(--ink)' },
  '.cm-hunk-out label': { color: 'var(--amber)' },
  '.cm-hunk-hint': { color: 'var(--text-3)', overflow: 'hidden', textOverflow: 'ellipsis', paddingLeft: '8px' },
  '.cm-hunk-push': { flex: '1' },
  '.cm-hunk button': { border: '0', background: 'none', color: 'var(--text-2)', font: 'inherit', padding: '2px 7px', borderRadius: 'var(--r1)' },
  '.cm-hunk button:hover': { background: 'var(--hover)', color: 'var(--text)' },
  '.cm-hunk .field': { display: 'block', width: 'calc(100% - 16px)', margin: '2px 8px 0 4px', minHeight: '28px', padding: '2px 8px' },
  '.cm-line.cm-left-out, .cm-deletedChunk.cm-left-out': { backgroundColor: 'transparent !important', opacity: '0.5', textDecoration: 'line-through', textDecorationColor: 'var(--line-strong)' },
  '.cm-selectionBackground': { backgroundColor: 'var(--select) !important' },
  '.cm-specialChar': { color: 'var(--on-ink)', backgroundColor: 'var(--amber)', borderRadius: '2px', padding: '0 2px' },
  '.cm-flash': { boxShadow: 'inset 3px 0 0 var(--amber)', backgroundColor: 'var(--amber-bg) !important' },
  // changed lines: colour, and plus or minus as text
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--red-bg)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--green-bg)' },
  '&.cm-merge-a .cm-part, .cm-deletedChunk .cm-deletedText': { background: 'var(--red-mark)', borderRadius: '2px' },
  '&.cm-merge-b .cm-part': { background: 'var(--green-mark)', borderRadius: '2px' },
  '&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText': { background: 'none' },
  '.cm-changedLine::after, .cm-deletedLine::before': { width: '16px', textAlign: 'center', fontWeight: '600' },
  '&.cm-merge-a .cm-changedLine::after': { content: '"−"', left: 'var(--numbers)', color: 'var(--red)' },
  '&.cm-merge-b .cm-changedLine::after': { content: '"+"', left: 'var(--numbers)', color: 'var(--green)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--red-bg)', padding: '0 12px 0 calc(var(--before) + 4px)' },
  '.cm-deletedChunk .cm-deletedLine': { position: 'relative', textDecoration: 'none', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '.cm-deletedLine::before': { content: '"−"', left: '-20px', color: 'var(--red)' },
  '.cm-mergeSpacer': { background: hatch },
  '.cm-collapsedLines': {
    color: 'var(--text-3)', background: 'var(--bg)', fontFamily: 'var(--font)', fontSize: 'var(--sm)',
    margin: '0 0 0 -300px', padding: '0 12px 0 calc(308px + var(--before))', // also across the gutter of marks
    height: '27px', lineHeight: '25px', boxSizing: 'border-box', overflow: 'hidden', // as high as the editor component guesses
    borderTop: '1px solid var(--line-soft)', borderBottom: '1px solid var(--line-soft)',
  },
  '.cm-collapsedLines:hover': { color: 'var(--text)', background: 'var(--hover)' },
  '.cm-collapsedLines::before': { content: '"⌄"', marginInlineEnd: '8px' },
  '.cm-collapsedLines::after': { content: '""', marginInlineStart: '0' },
});

export const flash = StateEffect.define<number | null>();

const flashed = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(deco, tr) {
    for (const e of tr.effects) {
      if (e.is(flash)) deco = e.value === null ? Decoration.none : Decoration.set(Decoration.line({ class: 'cm-flash' }).range(e.value));
    }
    return deco.map(tr.changes);
  },
  provide: (f) => EditorView.decorations.from(f),
});

/** linesOf gives each line in sight its number, and sets what wraps under the line's own start, two characters in. */
function linesOf(view: EditorView): DecorationSet {
  const b = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let pos = from; pos <= to; ) {
      const line = view.state.doc.lineAt(pos);
      const blank = /^[ \t]*/.exec(line.text)?.[0] ?? '';
      const tab = view.state.tabSize;
      let columns = Math.min(40, [...blank].reduce((n, c) => n + (c === '\t' ? tab : 1), 0)) + 2;
      if (blank.includes('\t')) columns = Math.ceil(columns / tab) * tab; // tabs stop at whole multiples, from the indent on
      b.add(line.from, line.from, Decoration.line({ attributes: { 'data-line': String(line.number), style: `text-indent:-${columns}ch;padding-left:calc(${columns}ch + 4px + var(--before))` } }));
      pos = line.to + 1;
    }
  }
  return b.finish();
}

const lines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = linesOf(view);
    }
    update(u: ViewUpdate) {
      if (u.docChanged || u.viewportChanged) this.decorations = linesOf(u.view);
    }
  },
  { decorations: (v) => v.decorations },
);

const shared = (label: string, language: Extension): Extension[] => [
  highlightSpecialChars(),
  EditorView.lineWrapping,
  syntaxHighlighting(colours),
  language,
  flashed,
  lines,
  EditorView.editorAttributes.compute(['doc'], (s) => ({ style: `--digits:${String(s.doc.lines).length}` })),
  look,
  EditorState.phrases.of({ '$ unchanged lines': t.diff.unchanged }),
  EditorView.contentAttributes.of({ 'aria-label': label }),
];

/** reading gives the extensions of a read-only view; label is what a screen reader says of it. */
export function reading(label: string, language: Extension): Extension[] {
  return [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    EditorView.contentAttributes.of({ 'aria-readonly': 'true', tabindex: '0' }),
    ...shared(label, language),
  ];
}

/** writing gives the extensions of a view that the person edits in place. Tab leaves it, as everywhere in the page. */
export function writing(label: string, language: Extension): Extension[] {
  return [
    drawSelection(),
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    EditorView.editorAttributes.of({ class: 'cm-writing' }),
    EditorView.contentAttributes.of({ 'data-testid': 'edit-in-place' }),
    ...shared(label, language),
  ];
}
