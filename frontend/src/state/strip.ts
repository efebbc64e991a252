// The timeline below: one bar an act, as high as it cost (or took, where nothing has a price), coloured by what it was.

import { isRed } from './proof';
import type { Item, StepItem } from './session';
import { act } from './words';
import { took, usd } from './format';
import type { Run } from '../api/types';
import { t } from '../texts';

export type BarKind = 'look' | 'edit' | 'think' | 'red' | 'green' | 'plain';

export interface Bar {
  seq: number; // of the item that it stands for
  kind: BarKind;
  height: number; // 0…1
  label: string;
}

/** What the bars' height is. */
export type Height = 'cost' | 'time';

interface Raw {
  kind: BarKind;
  ms: number;
  micro: number;
  label: string;
}

const failed = (run: Run) => run.failed > 0 || (run.tests ?? []).some(isRed);

function testKind(run: Run): BarKind {
  if (failed(run)) return 'red';
  return run.passed > 0 ? 'green' : 'plain';
}

function ofStep(s: StepItem): Raw {
  const ms = s.ms + s.calls.reduce((sum, c) => sum + (c.tool === 'finish' ? 0 : (c.result?.ms ?? 0)), 0);
  const tests = [...s.calls].reverse().find((c) => c.result?.run);
  const kind: BarKind = tests?.result?.run
    ? testKind(tests.result.run)
    : s.calls.some((c) => c.tool === 'apply_patch') ? 'edit' : s.calls.length > 0 ? 'look' : 'think';
  const what = s.calls.map((c) => `${act(c).verb} ${act(c).object}`.trim());
  return { kind, ms, micro: s.microUsd, label: t.strip.step(s.step, what.length > 0 ? what : [t.strip.thought], [took(ms), ...(s.microUsd > 0 ? [usd(s.microUsd)] : [])]) };
}

function raw(i: Item): Raw | null {
  switch (i.type) {
    case 'baseline':
      return i.run && { kind: testKind(i.run), ms: i.run.ms, micro: 0, label: t.strip.baseline(took(i.run.ms)) };
    case 'step':
      return ofStep(i);
    case 'proof':
      if (!i.state) return null;
      return { kind: i.state === 'proven' ? 'green' : i.state === 'not_proven' ? 'red' : 'plain', ms: i.end - i.at, micro: 0, label: t.strip.proof(took(i.end - i.at)) };
    case 'limit':
      return { kind: 'plain', ms: 0, micro: 0, label: t.outcomes.limit.word };
    default:
      return null;
  }
}

/** heightOf is what the bars of a run can show: its cost, where every reply has a price and any costs something. */
export function heightOf(v: { priced: boolean; microUsd: number }): Height {
  return v.priced && v.microUsd > 0 ? 'cost' : 'time';
}

/** bars gives one bar an act; the square root keeps a long act from flattening the rest. */
export function bars(items: readonly Item[], by: Height = 'time'): Bar[] {
  const out = items.flatMap((i) => {
    const r = raw(i);
    return r ? [{ seq: i.seq, size: by === 'cost' ? r.micro : r.ms, ...r }] : [];
  });
  const most = Math.max(1, ...out.map((b) => b.size));
  return out.map((b) => ({ seq: b.seq, kind: b.kind, label: b.label, height: Math.max(0.08, Math.sqrt(Math.max(0, b.size) / most)) }));
}

/** What is told of bars that stand as one: a red test first, since it is looked for. */
const loud: BarKind[] = ['red', 'edit', 'green', 'think', 'look', 'plain'];

/** fit makes at most room bars of many, each for a stretch of the run that is as long, as high as its highest. */
export function fit(all: readonly Bar[], room: number): Bar[] {
  if (all.length <= room) return all.slice();
  return Array.from({ length: room }, (_, i) => {
    const part = all.slice(Math.floor((i * all.length) / room), Math.floor(((i + 1) * all.length) / room));
    const kind = loud.find((k) => part.some((b) => b.kind === k)) ?? 'plain';
    const told = part.find((b) => b.kind === kind) ?? (part[0] as Bar);
    const label = part.length > 1 ? t.strip.oneOf(told.label, part.length) : told.label;
    return { seq: told.seq, kind, label, height: Math.max(...part.map((b) => b.height)) };
  });
}
