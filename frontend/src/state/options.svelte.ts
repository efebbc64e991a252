// What a new task runs with: the settings, until the person changes something for this task.

import type { Limits, NewTask, Settings, TaskKind } from '../api';
import { splitArgs } from './args';
import { t } from '../texts';

/** The defaults of the Go side, shown where the settings hold zero. */
export const defaults: Limits = { steps: 30, micro_usd: 1_000_000, tokens: 0, wall: 20 * 60 * 1e9 };

export function withDefaults(l: Limits): Limits {
  return {
    steps: l.steps || defaults.steps,
    micro_usd: l.micro_usd || defaults.micro_usd,
    tokens: l.tokens || 0,
    wall: l.wall || defaults.wall,
  };
}

export class Options {
  kind: TaskKind | '' = $state(''); // '' told from the text
  model = $state(''); // '' the default
  limits: Limits = $state.raw(defaults);
  askEdits = $state(false);
  test = $state(''); // the person's own test command as typed, '' the one that is fixed or found
  testDir = $state(''); // where it runs

  use(s: Settings): void {
    this.limits = withDefaults(s.limits);
    this.askEdits = s.ask_edits;
  }

  /** problem says why the task cannot start like this, '' when it can. */
  get problem(): string {
    return splitArgs(this.test) === null ? t.options.openQuote : '';
  }

  task(folder: string, text: string, defaultModel: string): NewTask {
    return {
      folder,
      text: text.trim(),
      kind: this.kind,
      model: this.model || defaultModel,
      limits: this.limits,
      ask_edits: this.askEdits,
      test_cmd: splitArgs(this.test) ?? [],
      test_dir: this.test.trim() ? this.testDir : '',
    };
  }
}
