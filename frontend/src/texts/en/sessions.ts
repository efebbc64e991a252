// The saved sessions: the list, what can be done with one, two side by side, what they cost.

import { english, sessions as count, steps } from './figures';

const { number } = english;

export const sessions = {
  title: 'Sessions',
  all: 'All',
  spending: 'Spending',
  import: 'Import…',
  tooLarge: (file: string) => `${file} has more than 32 MB. Take it in with “redgreen sessions import ${file}”.`,
  show: 'What to show',
  search: 'Search what was said, read and changed',
  folder: 'Folder',
  allFolders: 'All folders',
  folderAt: (name: string, path: string) => `${name} — ${path}`,
  outcome: 'How it ended',
  anyOutcome: 'Any outcome',
  model: 'Model',
  anyModel: 'Any model',
  begun: 'When it began',
  since: { any: 'Any time', day: 'Today', week: 'Last 7 days', month: 'Last 30 days', year: 'Last 365 days' },
  pinned: 'Only pinned',
  comparing: 'Choose “Compare with the chosen one” in the menu of another session to see both side by side.',
  never: 'Never mind',
  nothing: 'No session fits.',
  showAll: 'Show all',
  none: 'Every task is kept here with its whole trace, and opens again as it was.',
  first: 'Start the first one',
  count,
  more: 'Show more',
};

export const sessionMenu = {
  name: 'More about this session',
  rename: 'Rename…',
  pin: 'Pin',
  unpin: 'Unpin',
  compare: 'Compare with…',
  compareChosen: 'Compare with the chosen one',
  export: { html: 'Export as a page (HTML)', markdown: 'Export as Markdown', jsonl: 'Export as JSON lines' },
  delete: 'Delete…',
  saved: (path: string) => `Saved as ${path}`,
  renameTitle: 'Name this session',
  nameLabel: 'Name',
  renameNote: 'Without a name its task stands for it.',
  notNow: 'Not now',
  save: 'Save',
  deleteTitle: 'Delete this session?',
  quoted: (name: string) => `“${name}”`,
  deleteText: 'Its trace, requests and outputs are deleted for good.',
  deleteWritten: 'What it wrote stays in the folder, and can then no longer be undone here.',
  keep: 'Keep it',
  deleteGo: 'Delete',
};

export const compare = {
  title: 'Two sessions side by side',
  steps,
  nothing: 'said nothing',
  busy: 'Lining them up…',
  same: 'They did the same, with the same results.',
  different: (same: number, different: number) => `${steps(same)} the same, ${number(different)} different.`,
};

export const spending = {
  ways: { day: 'By day', model: 'By model', folder: 'By folder' },
  heads: { day: 'Day', model: 'Model', folder: 'Folder' },
  addUp: 'Add up',
  adding: 'Adding up…',
  none: 'Nothing was spent: there is no session yet.',
  sessions: 'Sessions',
  fixes: 'Accepted fixes',
  tokens: 'Tokens',
  time: 'Time of the model',
  cost: 'Cost',
  perFix: 'Per accepted fix',
  buckets: (input: string, read: string, written: string, output: string) => `input ${input}, read from cache ${read}, written to cache ${written}, output ${output}`,
  speed: (n: string) => `${n} tokens/s`,
  unknown: 'unknown',
  orMore: (usd: string) => `${usd} or more`,
  unpriced: (n: number) => `${count(n)} of unknown price`,
  note: (n: number) => `${count(n)}. A session counts on the day it began; what was spent without a fix is part of the cost of a fix.`,
};
