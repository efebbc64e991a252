// The frame of the window: header, search, help, and the dialogs that may stand over any view.

import { english } from './figures';

const { number } = english;

export const frame = {
  offline: 'Redgreen does not answer. If it has ended, start `redgreen serve` again and open the address that it prints.',
  title: (folder: string) => `${folder} · Redgreen`,
  start: 'Start',
  views: 'Views',
  sessions: 'Sessions',
  settings: 'Settings',
  help: 'Keyboard shortcuts',
  search: 'Search files, symbols, behaviour',
  noNetwork: (rung: string) => `${rung} · no network`,
  limited: 'limited',
  noSandbox: 'No sandbox',
  local: (model: string) => `${model} · local`,
};

export const search = {
  title: 'Search',
  in: (folder: string) => `Search files, symbols, behaviour in ${folder}`,
  noFolder: 'Open a folder first',
  noFolderNote: 'Search looks into the open folder. Open one with {}.',
  idle: 'A name, a path, a pasted error, or what the code does: “where is the total rounded”.',
  building: 'The index is still being built, so some code may be missing.',
  nothing: (query: string) => `Nothing fits “${query}”. Try fewer words, or a word that the code itself uses.`,
  /** A remark of the search on its results, as a sentence. */
  told: (said: string) => `${said.charAt(0).toUpperCase()}${said.slice(1)}.`,
  results: 'Results',
  opens: '{} opens it in your editor',
  why: 'Why this one is found, and where it stands in each list',
  found: (n: number) => `${number(n)} found`,
  rank: (n: number, how: string) => `no. ${number(n)} ${how}`,
  /** How a list of the search found something. */
  lists: {
    words: 'by words and meaning', keywords: 'by its words', vectors: 'by meaning', symbols: 'by name', paths: 'by path', frames: 'in the trace', text: 'by exact text', references: 'by use', 'exact name': 'it is the definition', frame: 'it is in the trace',
  } as Record<string, string>,
};

export const openFolder = {
  title: 'Open a folder',
  path: "The folder's full path",
  safe: 'Opening runs nothing that belongs to the folder, and changes nothing in it.',
  failed: 'The folder could not be opened',
  open: 'Open',
  opening: 'Opening…',
  goesOn: 'The run that was shown goes on. It is under Sessions.',
};

/** What is said of files and folders that are dropped on the window. */
export const drop = {
  here: 'Drop a folder to open it',
  several: (n: number) => `${number(n)} things were dropped. One folder can be open at a time: drop that one alone.`,
  gone: (path: string) => `There is nothing at ${path} any more. It was moved or deleted: drop it from where it is now.`,
  other: (path: string) => `${path} is neither a folder nor a file that can be read: a pipe, a device, or a name that is no text. Drop the folder that you work in.`,
  inside: (file: string) => `${file} lies in the open folder. Drop it on the message to quote it.`,
  title: (file: string) => `${file} is a file`,
  offer: 'Redgreen opens folders. This is the one that it lies in:',
  open: (folder: string) => `Open ${folder}`,
  noPath: (folder: string) => `A browser does not tell where “${folder}” lies. Type or paste its path.`,
  fileHere: (file: string) => `${file} is a file, and a browser does not tell where it lies. Open its folder first, then drop the file on the message to quote it.`,
};

export const errorNote = { settings: 'Open the settings', doctor: 'See what is missing' };

export const ask = {
  title: 'Allow this?',
  kinds: {
    edit_workspace: 'The model wants to change', run_tests: 'The model wants to run the tests', search: 'The model wants to search',
    read: 'The model wants to read', finish: 'The model wants to end the run',
  } as Record<string, string>,
  other: (kind: string) => `The model asks: ${kind}`,
  copyOnly: 'It is changed in the disposable copy only. Your folder stays as it is until you approve the whole patch.',
  more: (n: number) => `${number(n)} more waiting.`,
  refuse: 'Refuse',
  allow: 'Allow',
};

export const help = {
  title: 'Keyboard',
  groups: { everywhere: 'Everywhere', task: 'Task', diff: 'Diff', decision: 'Decision' },
  /** What each shortcut does. */
  keys: {
    help: 'Show this help',
    search: 'Search files, symbols, behaviour',
    open: 'Open a folder',
    settings: 'Settings',
    larger: 'Larger text',
    smaller: 'Smaller text',
    normal: 'Text of normal size',
    quit: 'Close Redgreen',
    sample: 'Open the sample',
    system: 'Light or dark as the system',
    light: 'Light',
    dark: 'Dark',
    start: 'Go to the start',
    task: 'Go to the task',
    sessions: 'Go to the sessions',
    doctor: 'Go to the doctor',
    new: 'New task in this folder',
    compose: 'Write a message',
    send: 'Send what is written',
    pause: 'Hold the run, or let it go on',
    quote: 'Quote the selection, or the red test, in a message',
    resend: 'Edit the last message and send it again',
    cancel: 'Cancel the run',
    replay: 'Play the session again, hold it, or let it go on',
    trace: 'Show or hide the trace (narrow windows)',
    failure: 'Next failure in the trace',
    change: 'Next change that the run made',
    question: 'Next question that was asked',
    next: 'Next change',
    previous: 'Previous change',
    nextFile: 'Next file',
    previousFile: 'Previous file',
    leave: 'Leave the change out, or take it',
    comment: 'Comment on the change',
    edit: 'Edit the file in place, or be done with it',
    viewed: 'Mark the file as viewed, and fold it',
    blanks: 'Show or hide changes of blanks',
    why: 'Which step made this change',
    layout: 'Side by side or unified',
    write: 'Write the patch into the folder',
    reject: 'Reject, with or without a comment',
    undo: 'Take back what was written',
  },
};

/** The window's own menu. An item that is not here is called as in help. */
export const menu = {
  file: 'File',
  view: 'View',
  run: 'Run',
  help: 'Help',
  recent: 'Recent folders',
  items: {
    open: 'Open folder…', new: 'New task', quit: 'Quit', start: 'Start', task: 'Task', sessions: 'Sessions', doctor: 'Doctor', system: 'Theme of the system', light: 'Light theme',
    dark: 'Dark theme', normal: 'Normal text', trace: 'Trace', pause: 'Hold or go on', replay: 'Replay', layout: 'Side by side or unified', blanks: 'Changes of blanks', write: 'Write the patch…',
    reject: 'Reject…', undo: 'Undo what was written', help: 'Keyboard shortcuts',
  } as Record<string, string>,
};

/** Why what was asked for, by a key or in the menu, cannot be done now. */
export const notNow = {
  nothing: 'There is nothing to do this with at the moment.',
  dialog: 'Answer or close what is in front first.',
  there: 'This is it already.',
  folder: 'Open a folder first.',
  sample: 'This Redgreen has no sample repository.',
  largest: 'The text is as large as it gets.',
  smallest: 'The text is as small as it gets.',
  normal: 'The text is as large as it was at first.',
  theme: 'That theme is in use.',
  diff: 'There is no diff here yet.',
  pause: 'Nothing is running here that could be held.',
  cancel: 'Nothing is running here that could be cancelled.',
  replay: 'A run can be replayed once it has stopped.',
  running: 'The run is still at work; decide when it is done.',
  busy: 'Wait until what you asked for last is done.',
  stale: 'The folder has changed since the proof; run the task again, then write.',
  write: 'There is no patch here to write.',
  reject: 'There is no patch here to reject.',
  undo: 'Nothing was written here that could be taken back.',
};

/** What the desktop tells of a session; never a text of the repository or of the model. */
export const notices = {
  title: (state: string, folder: string) => `${state} — ${folder}`,
  review: (counts: string) => `${counts}. A patch waits for your decision.`,
  leave: 'Something waits for you to allow or refuse it.',
};
