// What happened: the trace, its acts and their results, the tests of a run, another way from a step.

import { english, reruns, tests as testsOf } from './figures';

const { count, decimal, number } = english;

/** How a session stands or ended, in a word and a sentence. */
export const outcomes = {
  running: { word: 'Running', text: 'The task is being worked on.' },
  review: { word: 'Waiting for you', text: 'A patch waits for your decision.' },
  waiting: { word: 'Asks you', text: 'The model has a question; it goes on when you answer.' },
  answered: { word: 'Answered', text: 'You asked for an explanation; nothing was to be changed.' },
  proven: { word: 'Proven', text: 'The patch was proven.' },
  not_proven: { word: 'Not proven', text: 'It ended without a proof.' },
  limit: { word: 'Stopped at a limit', text: 'A limit that you set stopped it.' },
  cancelled: { word: 'Cancelled', text: 'It was cancelled.' },
  error: { word: 'Failed', text: 'Something kept it from going on.' },
};

export const replay = {
  begin: 'Replay',
  title: 'Play the session again, from its first event',
  name: 'The session plays again',
  play: 'Play',
  hold: 'Hold',
  speed: 'Speed',
  speeds: { '1': '1×', '4': '4×', '16': '16×', max: 'Max' },
  where: 'Place in the session',
  place: (at: string, of: string, step: number) => (step > 0 ? `${at} of ${of} · step ${number(step)}` : `${at} of ${of}`),
  end: 'End the replay',
  past: 'This is how it was. End the replay to decide anything.',
  quiet: 'End the replay to say something',
};

export const standing = {
  interrupted: 'Interrupted',
  interruptedText: 'The program ended while it was working. Nothing in your folder has changed.',
  written: (outcome: string) => `${outcome}, written`,
  takenBack: (outcome: string) => `${outcome}, taken back`,
  with: (outcome: string, owner: string) => `${outcome}, in ${owner}`,
  owners: { window: 'another window', browser: 'a window in a browser', terminal: 'a terminal', '': 'another Redgreen' },
  /** What the system does where it has not said anything more exact. */
  activities: { preparing: 'Copying the folder', tests: 'Running the tests before any change', model: 'Waiting for the model', tools: 'Working', proof: 'Proving the patch', waiting: '', over: '' },
};

/** What a call did, and what it does while it runs. */
export const acts = {
  tests: { past: 'Ran the tests', now: 'Running the tests' },
  search: { past: 'Searched', now: 'Searching' },
  read: { past: 'Read', now: 'Reading' },
  change: { past: 'Changed', now: 'Changing' },
  changeTests: { past: 'Changed the tests', now: 'Changing the tests' },
  changeRefused: { past: 'Tried to change', now: 'Changing' },
  ask: { past: 'Asked you', now: 'Asking you' },
  criteria: { past: 'Wrote the acceptance criteria', now: 'Writing the acceptance criteria' },
  measure: { past: 'Measured', now: 'Measuring which lines the tests run' },
  tryEdits: { past: 'Tried edits', now: 'Trying edits' },
  finish: { past: 'Called it done', now: 'Called it done' },
  finishRefused: { past: 'Could not finish', now: 'Called it done' },
  other: { past: 'Called', now: 'Calling' },
  lines: (from: string, to: string) => `${from}–${to}`,
  from: (line: string) => `from ${line}`,
};

export const run = {
  failed: (n: number) => `${number(n)} failed`,
  passed: (n: number) => `${number(n)} passed`,
  skipped: (n: number) => `${number(n)} skipped`,
  stopped: (why: string) => `stopped: ${why}`,
  noVerdict: (why: string) => `no verdict: ${why}`,
  noTest: 'no test was found',
  reasons: {
    timeout: 'it took too long', memory: 'it ran out of memory', processes: 'it started too many processes', disk: 'it wrote too much', output: 'it printed too much', cancelled: 'it was cancelled',
  } as Record<string, string>,
};

export const trace = {
  name: 'Trace',
  close: 'Close the trace',
  none: { failure: 'No failure in this trace.', change: 'Nothing was changed in this trace.', question: 'Nothing was asked in this trace.' },
  earlier: (n: number) => `${number(n)} earlier`,
  later: (n: number) => `${number(n)} later`,
  toNow: 'To what happens now',
  kindChosen: 'You chose this kind of task',
  kindTold: 'Told from your words; choose the kind beside the model to say otherwise',
  beforeChange: 'before any change',
  proving: 'Proving',
  proved: 'Proved',
  notProved: 'Could not prove',
  bySystem: 'by the system, not the model',
  redGreen: 'red on the base, green with the patch',
  redGreenAgain: (n: number) => `red on the base, green with the patch, green again in ${reruns(n)}`,
  madeRoom: 'Made room',
  room: (from: string, to: string) => `${from} → ${to} tokens`,
  toldInstead: 'What the model is told instead',
  summedUp: (n: number) => `The whole history stays in this record. The model keeps ${count(n, { one: 'last reply', other: 'last replies' })}; the reasoning before is summed up by a model.`,
  cut: (n: number) => `The whole history stays in this record. The model keeps ${count(n, { one: 'last reply', other: 'last replies' })}; the reasoning before is cut to its first sentences.`,
  criteria: 'Acceptance criteria',
  criteriaYours: 'You changed the acceptance criteria',
  forked: 'Went another way from here',
  forkedFrom: 'What is above is the same in {}.',
  forkedLink: 'the session it comes from',
  asks: 'The model asks you',
  sentBack: 'Sent back as you left it.',
  rejected: 'Rejected, without a comment.',
  changed: 'What you changed of the patch',
  choseProven: 'You had your choice of it proven',
  provenAgain: 'You had it proven again on your folder as it is now',
  approvedByRule: 'Approved by the rule you set',
  approved: 'You approved it',
  tookBack: 'Took it back',
  wrote: 'Wrote',
  stillRed: (tests: string[]) => `Still red: ${tests.join(', ')}`,
};

export const step = {
  name: (n: number) => `Step ${n}`,
  details: (n: number) => `Step ${n}, details`,
  miss: (why: string) => `The prompt cache was not read: ${why}`,
  opens: 'Tokens, cost and time of this step',
  reflects: 'Thought again',
  reflectsWhy: 'Asked for after a refused edit or a red run: why it failed, and what will change',
  waiting: 'Waiting for the model…',
  noAnswer: 'No answer came.',
  model: (took: string) => `model ${took}`,
  tokens: (n: string) => `${n} tokens`,
  tokensUnknown: 'tokens unknown',
  fork: 'Go another way from here…',
  sent: 'Show what the model was sent',
  again: 'Trying again.',
  againIn: (wait: string) => `Trying again in ${wait}.`,
};

export const call = {
  refused: 'Refused: this is not allowed',
  waiting: 'Waiting for your answer',
  args: 'Arguments',
  noArgs: 'none',
  saw: 'What the model saw',
  sawCut: 'What the model saw, cut',
  nothing: 'nothing',
  full: 'Show the full output',
};

export const fullText = { fetching: 'Fetching…', name: 'Full output', more: (percent: number) => `Show more (${percent} % shown)` };

export const tests = {
  output: 'Tests and output',
  more: (n: number) => `and ${number(n)} more, all in the output`,
  whole: 'Show the whole output',
  /** How a test ended. */
  status: { passed: 'passed', failed: 'failed', error: 'error', skipped: 'skipped' },
  beforeAfter: (n: number) => `${testsOf(n)}, before and after`,
  before: (word: string) => `before: ${word}`,
  after: (word: string) => `after: ${word}`,
  notThere: 'not there',
  showMore: 'Show more',
  outputBefore: 'Output before',
  outputAfter: 'Output with the patch',
  grid: (all: number, red: number, turned: number, green: number) => `${number(all)} tests: ${number(red)} red, ${number(turned)} turned green, ${number(green)} green`,
};

/** How far a run of tests is. */
export const testing = {
  name: 'Progress of the tests',
  part: (n: number, of: number) => `part ${number(n)} of ${number(of)}`,
  of: (done: number, total: number, about: boolean) => (about ? `${number(done)} of about ${testsOf(total)}` : `${number(done)} of ${testsOf(total)}`),
  done: (n: number) => testsOf(n),
  rate: (perSecond: number) => `${decimal(perSecond, 0, perSecond < 10 ? 1 : 0)} a second`,
  left: (clock: string) => `about ${clock} left`,
  last: (clock: string) => `took ${clock} the last time`,
};

export const fork = {
  title: (step: number) => `Another way from before step ${step}`,
  failed: 'It did not start',
  what: 'What should it do differently?',
  anew: 'Your message',
  anewNote: 'A new session begins with what happened before this message. This one stays as it is, and so does your folder.',
  example: 'Do not touch the parser; the fault is in the caller.',
  note: (step: number) => `A new session begins with what happened before step ${step}. This one stays as it is, and so does your folder.`,
  notNow: 'Not now',
  start: 'Start',
  starting: 'Starting…',
};

export const strip = {
  byCost: 'Timeline of the run, as high as each act cost',
  byTime: 'Timeline of the run, as high as each act took',
  thought: 'Thought',
  step: (n: number, what: string[], figures: string[]) => `Step ${n}: ${[...what, ...figures].join(', ')}`,
  baseline: (took: string) => `Tests before any change, ${took}`,
  proof: (took: string) => `Proof, ${took}`,
  oneOf: (what: string, n: number) => `${what}; one of ${number(n)} acts here`,
};
