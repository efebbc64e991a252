// The proof: the seal, the evidence, how it was proven.

import { english, reruns, tests } from './figures';

const { count, number } = english;

/** The states of a proof. */
export const proofStates = {
  proven: { word: 'Proven', text: 'against the folder as it is now' },
  not_proven: { word: 'Not proven', text: 'the tests do not show that this works' },
  stale: { word: 'Stale', text: 'something changed since the proof' },
  unverifiable: { word: 'Cannot be proven', text: 'the tests gave no verdict' },
};

export const seal = {
  opening: { word: 'Opening', text: 'reading the record' },
  takenBack: { word: 'Taken back', text: 'your folder is as it was' },
  asks: { word: 'Asks you', text: 'it goes on when you answer' },
  answered: { word: 'Answered', text: 'nothing was to be changed' },
  proving: { word: 'Proving', text: 'by the system, not the model' },
  folderChanged: 'your folder changed since the proof',
  choice: { word: 'Your choice is not proven', text: 'the proof is about the whole patch' },
  written: 'and written to your folder',
  against: (branch: string) => `against ${branch} as it is now`,
  checked: { word: 'Checked', text: 'not proven: no test is to turn green here' },
  notYet: { word: 'Not proven yet', text: 'the proof runs when the model is done' },
  endedUnproven: 'it ended before a proof',
  before: { word: 'Before any change', text: 'no test shows the bug yet' },
  mayShow: 'the bug may show already',
  none: { word: 'No proof yet', text: 'first the tests run as things are' },
  endedUntested: 'it ended before the tests ran',
  counts: (turned: number, green: number, broken: number) => `${number(turned)} red → green, ${number(green)} still green, ${number(broken)} broken`,
};

export const evidence = {
  head: 'Evidence',
  /** What a row's mark means. */
  marks: { turned: 'red, then green', good: 'holds', bad: 'broken', warn: 'look at this', plain: '' },
  stale: 'Stale: your folder changed since',
  staleText: (files: string[]) => `${files.join(', ')}. The proof is about the files as they were, so nothing can be written. Proven again, the change is made beside your own edits.`,
  proveAgain: 'Prove it again on the folder as it is now',
  turned: 'red → green',
  green: 'still green',
  broken: 'broken',
  whyNot: 'Why it is not proven',
  choose: 'Other edits pass the same tests: choose',
  whyStale: 'Why it is stale',
  whyNoVerdict: 'Why there is no verdict',
  noneWeakened: 'No test weakened, skipped or removed',
  greenAgain: (runs: number, tests: number) => `Green again in ${reruns(runs)} of ${tests === 1 ? 'it' : 'each'}`,
  flaky: (test: string) => `Flaky, so it proves nothing: ${test}`,
  redBefore: (ids: string[]) => `${tests(ids.length)} red before and after: ${ids.join(', ')}`,
  skipped: (n: number) => `${tests(n)} skipped`,
  uncovered: (n: number) => `${count(n, { one: 'changed line was', other: 'changed lines were' })} run by no test`,
  noTestRan: 'No test ran this line',
  lookTwice: (kind: string, why: string) => `Look twice: ${kind}, ${why}`,
  linters: 'New to the repository’s own linters',
  lintersNote: 'They are not on the base. They do not decide whether the patch is proven.',
  showMore: (n: number) => `Show ${number(n)} more`,
  checked: 'Checked',
  breaks: 'Changed on purpose, to see new tests fail',
  breakTo: 'changed to',
  breakGone: 'nothing',
  notSaid: 'What the proof does not say',
  ranBefore: (n: number, green: number) => `${tests(n)} ran before any change: {}, ${number(green)} green.`,
  red: (n: number) => `${number(n)} red`,
  counts: 'A patch counts as proven when a test that was red before it is green after it, again and again, and nothing else broke.',
  scrutiny: 'Look twice, whatever the proof says',
};

export const parts = {
  head: 'Proven part by part',
  turned: 'red to green',
  note: 'Each holds by itself. The proof at the end is of the whole.',
};

export const how = {
  head: 'How it was proven',
  command: 'Command',
  in: 'In',
  with: 'With',
  versionUnknown: 'of unknown version',
  on: 'On',
  host: 'this machine’s own toolchain, read-only',
  isolated: 'Isolated by',
  noNetwork: (what: string) => `${what}, without network`,
  limits: 'Limits',
  memory: (n: string) => `${n} memory`,
  cpus: (n: number) => count(n, { one: 'CPU', other: 'CPUs' }),
  processes: (n: number) => count(n, { one: 'process', other: 'processes' }),
  disk: (n: string) => `${n} disk`,
  output: (n: string) => `${n} output`,
  aRun: (took: string) => `all tests in ${took}`,
  oneRun: 'One run',
  times: (before: string, after: string) => `all tests ${before} before, ${after} with the patch`,
  allRuns: 'All runs',
  together: (took: string, runs: number) => (runs > 0 ? `${took} in all, with ${reruns(runs)} of each test that turned green` : `${took} in all`),
  issued: 'Issued',
  folder: 'Folder',
  patch: 'Patch',
  certificate: 'Certificate',
};
