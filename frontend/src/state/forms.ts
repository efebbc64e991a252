// The forms that a model can answer in, in words, and what a probe found of them.

import type { ModelSetting, ProbeResult } from '../api/types';
import { list } from './lists';

export const callForms: Record<ModelSetting['form'], string> = {
  '': 'As the provider offers them', native: 'The provider’s own tool calls', json: 'JSON held to a schema', text: 'Tagged text',
};

export const editForms: Record<ModelSetting['edit_form'], string> = {
  '': 'Whatever form it writes', unified_diff: 'Unified diff', search_replace: 'Search and replace blocks', old_new: 'Old text and new text', whole_file: 'The whole file anew',
};

const shortForms: Record<string, string> = { native: 'the provider’s calls', json: 'JSON', text: 'tagged text', unified_diff: 'unified diff', search_replace: 'search and replace', old_new: 'old and new text', whole_file: 'whole file' };

/** formName is a form in the middle of a sentence. */
export function formName(form: string): string {
  return shortForms[form] ?? form;
}

/** measured is a probe's result in a line. */
export function measured(p: ProbeResult): string {
  const of = (rows: ProbeResult['tools'], form: string) => list(rows).find((s) => s.form === form);
  const calls = of(p.tools, p.tool_form);
  const edits = of(p.edits, p.edit_form);
  return [
    calls ? `calls as ${formName(calls.form)} ${calls.passed} of ${calls.of}` : 'no form of calls',
    edits ? `edits as ${formName(edits.form)} ${edits.passed} of ${edits.of}` : 'no form of edits',
  ].join(', ');
}
