// The timeline below: one bar an act, as high as it took, coloured by what it was.

import { isRed } from './proof';
import type { Item, StepItem } from './session';
import { outcomes, act } from './words';
import { took } from './format';
import type { Run } from '../api/types';

export type BarKind = 'look' | 'edit' | 'think' | 'red' | 'green' | 'plain';

export interface Bar {
  seq: number; // of the item that it stands for
  kind: BarKind;
  height: number; // 0…1
  label: string;
}

const failed = (run: Run) => run.failed > 0 || (run.tests ?? []).some(isRed);

function testKind(run: Run): BarKind {
  if (failed(run)) return 'red';
  return run.passed > 0 ? 'green' : 'plain';
}

function ofStep(s: StepItem): { kind: BarKind; ms: number; label: string } {
  const ms = s.ms + s.calls.reduce((sum, c) => sum + (c.tool === 'finish' ? 0 : (c.result?.ms ?? 0)), 0);
  const tests = [...s.calls].reverse().find((c) => c.result?.run);
  const kind: BarKind = tests?.result?.run
    ? testKind(tests.result.run)
    : s.calls.some((c) => c.tool === 'apply_patch') ? 'edit' : s.calls.length > 0 ? 'look' : 'think';
  const what = s.calls.map((c) => `${act(c).verb} ${act(c).object}`.trim()).join(', ') || 'Thought';
  return { kind, ms, label: `Step ${s.step}: ${what}, ${took(ms)}` };
}

function raw(i: Item): { kind: BarKind; ms: number; label: string } | null {
  switch (i.type) {
    case 'baseline':
      return i.run && { kind: testKind(i.run), ms: i.run.ms, label: `Tests before any change, ${took(i.run.ms)}` };
    case 'step':
      return ofStep(i);
    case 'proof':
      if (!i.state) return null;
      return { kind: i.state === 'proven' ? 'green' : i.state === 'not_proven' ? 'red' : 'plain', ms: i.end - i.at, label: `Proof, ${took(i.end - i.at)}` };
    case 'limit':
      return { kind: 'plain', ms: 0, label: outcomes.limit.word };
    default:
      return null;
  }
}

/** bars gives one bar an act; the square root keeps a long act from flattening the rest. */
export function bars(items: readonly Item[]): Bar[] {
  const out = items.flatMap((i) => {
    const r = raw(i);
    return r ? [{ seq: i.seq, ...r }] : [];
  });
  const most = Math.max(1, ...out.map((b) => b.ms));
  return out.map((b) => ({ seq: b.seq, kind: b.kind, label: b.label, height: Math.max(0.08, Math.sqrt(Math.max(0, b.ms) / most)) }));
}
