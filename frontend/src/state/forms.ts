// The forms that a model can answer in, in words, and what a probe found of them.

import type { ProbeResult } from '../api/types';
import { list } from './lists';
import { t } from '../texts';

/** formName is a form in the middle of a sentence. */
export function formName(form: string): string {
  return t.forms.short[form] ?? form;
}

/** measured is a probe's result in a few words each. */
export function measured(p: ProbeResult): string[] {
  const of = (rows: ProbeResult['tools'], form: string) => list(rows).find((s) => s.form === form);
  const calls = of(p.tools, p.tool_form);
  const edits = of(p.edits, p.edit_form);
  return [
    calls ? t.forms.callsAs(formName(calls.form), calls.passed, calls.of) : t.forms.noCalls,
    edits ? t.forms.editsAs(formName(edits.form), edits.passed, edits.of) : t.forms.noEdits,
  ];
}
