// Before a task: the first view, the composer of an open folder, what a task runs with.

import { english, files, steps } from './figures';

const { count, number, plural } = english;

export const start = {
  say: 'Say what is wrong.',
  get: 'Get the fix with its proof.',
  what: 'Redgreen repairs a bug in a copy of your folder and shows a small diff with the test that was red before and is green after. Your folder changes only when you click.',
  open: 'Open a folder…',
  sample: 'Try the sample',
  drop: 'Or drop a folder on this window.',
  opening: (path: string) => `Opening ${path}…`,
  /** The three steps of a first run, each with what is safe about it. */
  first: [
    { head: 'Open a folder.', text: 'Nothing in it runs, nothing in it changes.' },
    { head: 'Say what is wrong.', text: 'A model works in a copy; tests run in a sandbox without network.' },
    { head: 'Read the diff and its proof.', text: 'Only your click writes, and undo takes it back.' },
  ],
  folders: 'Recent folders',
  gone: 'no longer there',
  sessions: 'Recent sessions',
  all: 'All sessions',
};

export const sandbox = {
  walled: (where: string, limited: boolean) => `Tests run in ${where}, without network${limited ? ', with limits that this machine cannot enforce' : ''}.`,
  open: (limited: boolean) => `Tests run with no isolation${limited ? ', with limits that this machine cannot enforce' : ''}.`,
  none: 'No sandbox works here yet, so no test can run. See what to install.',
  unseen: (why: string) => `The sandbox could not be looked at: ${why}`,
  looking: 'Looking at the sandbox…',
  /** A rung's label where it stands after "in". */
  within: { container: 'a container', microVM: 'a microVM', namespaces: 'namespaces of their own' } as Record<string, string>,
  any: 'the sandbox',
};

/** Kinds of task: a word, what the button that starts one says, what is asked for, and what comes of it. */
export const kinds = {
  fix: { word: 'Fix a bug', go: 'Find and fix', hint: 'What happens, and what should happen instead? Paste the error, if there is one.', gives: 'A test that is red, then green.' },
  feature: { word: 'Add a feature', go: 'Build it', hint: 'What should it do, for which input, and what must stay as it is?', gives: 'Acceptance criteria first, then tests, then code.' },
  new: { word: 'New program', go: 'Write it', hint: 'What should the program do? It is written into this folder, with its tests.', gives: 'Into an empty folder, with its tests.' },
  tests: { word: 'Add tests', go: 'Write the tests', hint: 'Which code needs tests, and which cases worry you?', gives: 'The code stays, unless a test shows a fault.' },
  refactor: { word: 'Refactor', go: 'Refactor it', hint: 'What should take another shape? The behaviour stays the same.', gives: 'Checked, not proven: no test turns green.' },
  explain: { word: 'Explain', go: 'Explain it', hint: 'What do you want to understand? Nothing is changed.', gives: 'An answer, no patch.' },
};

export const compose = {
  wrongIn: 'What is wrong in {}?',
  explainIn: 'What is to be explained in {}?',
  doneIn: 'What is to be done in {}?',
  wrong: 'What is wrong',
  starting: 'Starting…',
  recorded: 'The recorded model plays one written fix of this sample, whatever you type. The search, the edits, the sandbox and the proof are real.',
  ideas: 'Ideas',
  ideaTests: 'Some tests fail. Find out why and fix the code, not the tests.',
  ideaError: 'This error appears:',
  noModel: 'No model can be called yet',
  noModelNext: 'Start Ollama (`ollama serve`), or give a key for a provider.',
  settings: 'Open the settings',
  again: 'Look again',
  folder: 'Folder',
  on: (branch: string) => `on ${branch}`,
  files: 'Files',
  filesOf: (n: number, languages: string, more: boolean) => (more ? 'more than ' : '') + files(n) + (languages ? `, mostly ${languages}` : ''),
  tests: 'Tests',
  by: (source: string) => `by ${source}`,
  noTests: 'none found: give a command above, or let the fix bring the first test',
  noTestsEngine: 'none found: give a command above; the built-in engine needs a test that fails',
  change: 'Change…',
  needs: 'Needs',
  needsOf: (lockfiles: string[]) => {
    const more = lockfiles.length - 2;
    return `what ${lockfiles.slice(0, 2).join(' and ')}${more > 0 ? ` and ${number(more)} more` : ''} names, where it is not there yet`;
  },
  install: 'Install…',
  index: 'Index',
  pieces: (n: number) => `${count(n, { one: 'piece', other: 'pieces' })} of code, ready to search`,
  indexing: 'Indexing',
  indexed: (done: number, total: number) => `${done} of ${total} files`,
  indexedAt: (done: number, total: number, rate: number, left: string) => `${done} of ${total} files, ${rate} a second, ${left} left`,
  indexStarts: 'starting',
  earlier: 'Earlier in this folder',
  searches: '{} searches this folder',
  showsKeys: '{} shows every key',
};

/** What a repository says to agents. */
export const guides = {
  title: 'What this repository says to the model',
  speaks: 'This repository speaks to the model, in {}',
  data: 'It is given as data about the code, and widens nothing that the model may do.',
  dataAndHabits: 'It is data about the code and its habits, and widens nothing that the model may do.',
  textOf: (path: string) => `The text of ${path}`,
  give: 'Give it to the model',
  leave: 'Leave it out',
  given: (n: number) => plural(n, { one: '{} is given to the model as data', other: '{} are given to the model as data' }),
  notGiven: (n: number) => plural(n, { one: '{} is not given to the model', other: '{} are not given to the model' }),
  look: 'Look…',
};

export const mentions = { list: 'Files and symbols' };

export const sessionRow = { pinned: 'Pinned', pinnedWord: 'pinned', steps };

export const options = {
  kind: 'Kind of task',
  anyKind: 'Any task',
  fromWords: 'From your words',
  fromWordsHint: 'Told from what you write; the session shows which.',
  model: 'Model',
  noModel: 'no model',
  lookingModels: 'looking for models…',
  local: 'local',
  again: 'Look again',
  noModels: 'No model can be called yet. Start Ollama, or give a key in the settings.',
  playsFix: 'plays the written fix of the sample',
  searches: 'tries small edits until the failing tests pass',
  onMachine: 'on this machine',
  window: (tokens: string) => `${tokens} tokens of context`,
  keys: 'Keys and addresses…',
  limits: 'Limits',
  limitsBrief: (n: number, usd: string, minutes: number) => `${steps(n)}, ${usd}, ${minutes} min`,
  limitsHead: 'Limits of this task',
  limitsNote: 'It stops cleanly at the first one, and tells what was tried.',
  tests: 'Tests and edits',
  noCommand: 'no test command',
  asks: 'asks',
  command: 'Test command',
  list: 'A list of arguments, run without a shell.',
  foundBy: (source: string, dir: string) => `By ${source}${dir ? `, in ${dir}` : ''}; leave it empty to use that.`,
  noneFound: 'None was found in this folder.',
  runsIn: (dir: string) => `It runs in ${dir}.`,
  in: (dir: string) => `in ${dir}`,
  fix: 'Fix one for this folder…',
  askEdits: 'Ask before each edit',
  askEditsHint: 'Edits land in the copy either way.',
  openQuote: 'The test command has a quote that is not closed.',
  byYou: 'you, for this folder',
};

export const limits = { steps: 'Steps', cost: 'Cost', usd: 'USD', time: 'Time', min: 'min', tokens: 'Tokens', tokensUnit: '0 = no limit' };

export const prepare = {
  ask: 'Install what the tests need?',
  done: 'Installed',
  partly: 'Not everything was installed',
  nothing: 'Nothing was installed',
  failed: 'It could not be installed',
  why: 'Why',
  refused: 'It was refused a way to:',
  end: 'The end of its output',
  kept: 'It is kept outside the folder, for as long as the lockfile stays the same, and shown read-only to the tests.',
  reading: 'Reading the lockfiles…',
  noLockfile: 'No lockfile was found, so there is nothing to install.',
  runsIn: (where: string) => `It runs in ${where}, on a copy. Its only way out is a filter that lets through the hosts named here and nothing else. Your folder is not changed.`,
  already: 'installed already',
  cannot: 'It cannot run here',
  mayReach: 'may reach',
  with: 'with {}',
  withFrom: (from: string) => `with {}, from ${from}`,
  otherHost: 'Another host, such as a mirror of your own',
  moreHosts: 'More hosts that may be reached',
  starting: 'Starting…',
  stop: 'Stop',
  notNow: 'Not now',
  run: (n: number, hosts: number) => `Run ${n === 1 ? 'it' : `all ${number(n)}`} with access to ${count(hosts, { one: 'host', other: 'hosts' })}`,
};
