// The only importer of the bound Go methods (window.go.app.App) and of the runtime's events (window.runtime).
// In the browser mode the server puts a shim in front of the page that defines the same two objects.

import { t } from '../texts';
import { AppError, decode } from './error';
import type {
  Bill, BillsBy, Body, Boot, Check, Choice, Diff, Doctor, Event, Exported, Folder, FolderTests, Found, Guides, ImageList, Mention, Models, ModelSetting, NewTask, Notice, Origin, Pair, PreparePlan, PrepareReport, ProbePlan, ProbeResult, Pushed, Review, Rung,
  ModelInfo, Picture, SessionHit, SessionInfo, SessionQuery, SessionState, Settings, Topic,
} from './types';

export { AppError, type Code } from './error';
export type * from './types';

/** Backend is everything the window asks of the Go side. Every method rejects with an AppError. */
export interface Backend {
  boot(): Promise<Boot>;
  pickFolder(): Promise<string>;
  openFolder(path: string): Promise<Folder>;
  /** droppedText is the text of a file that was dropped on the window last. */
  droppedText(path: string): Promise<string>;
  /** readPicture takes a picture, as base64, that is to go with a message: it is given back as it goes, without what its file holds beside it. */
  readPicture(data: string): Promise<Picture>;
  /** pastedPicture is the picture on the clipboard, of which the window's web view tells the page nothing; one without data where there is none. */
  pastedPicture(): Promise<Picture>;
  /** droppedPicture is such a file that is a picture. */
  droppedPicture(path: string): Promise<Picture>;
  models(): Promise<Models>;
  /** rung is what isolates the tests of a folder ('' any); it rejects where nothing does. */
  rung(folder: string): Promise<Rung>;
  /** doctor examines every way to isolate; it may take a minute. */
  doctor(): Promise<Doctor>;
  startTask(task: NewTask): Promise<string>;
  session(id: string): Promise<SessionInfo>;
  sessions(q: SessionQuery): Promise<{ sessions: SessionState[] | null; total: number }>;
  sessionChoices(): Promise<{ folders: string[] | null; models: ModelInfo[] | null }>;
  events(id: string, after: number, limit: number): Promise<{ events: Event[] | null; more: boolean }>;
  body(hash: string, offset: number, limit: number): Promise<Body>;
  diff(id: string): Promise<Diff>;
  /** diffAt is the diff as it was after an event. */
  diffAt(id: string, seq: number): Promise<Diff>;
  /** exportSession asks where to save a session; without a dialog for that it gives the text, to be downloaded. */
  exportSession(id: string, as: 'jsonl' | 'markdown' | 'html'): Promise<Exported>;
  approve(id: string, patchHash: string): Promise<{ files: string[] | null }>;
  reject(id: string, comment: string, images: string[]): Promise<void>;
  proveAgain(id: string): Promise<void>;
  /** choose has a choice of the patch proven in its place. */
  choose(id: string, choice: Choice): Promise<void>;
  /** sendBack lets the model go on from a choice; it is told the comments and what was changed. */
  sendBack(id: string, choice: Choice): Promise<void>;
  /** review is how far the review of a session's patch came, kept over restarts. */
  review(id: string): Promise<Review>;
  saveReview(id: string, review: Review): Promise<void>;
  undo(id: string, redo: boolean): Promise<{ files: string[] | null; redo: boolean }>;
  cancel(id: string): Promise<void>;
  /** pause holds a run before its next act, or lets it go on. */
  pause(id: string, on: boolean): Promise<void>;
  /** say sends a message to a run, with pictures as base64. */
  say(id: string, text: string, images: string[]): Promise<void>;
  /** picture gives a picture of a session by its hash. */
  picture(hash: string): Promise<Picture>;
  /** takesImages asks what is known of a model before a picture is given to it. */
  takesImages(ref: string, folder: string): Promise<ModelInfo>;
  resume(id: string): Promise<void>;
  /** resumeWith goes on with another model, which the person chose. */
  resumeWith(id: string, model: string): Promise<void>;
  editCriteria(id: string, criteria: string[]): Promise<void>;
  answerAsk(id: string, askId: string, allow: boolean): Promise<void>;
  search(folder: string, query: string, n: number): Promise<Found>;
  /** complete gives files and symbols that the first letters of a name may mean. */
  complete(folder: string, word: string, n: number): Promise<Mention[] | null>;
  saveSettings(settings: Settings): Promise<Settings>;
  saveKey(provider: string, key: string): Promise<void>;
  testCommands(folder: string): Promise<FolderTests>;
  /** fixTestCommand fixes a folder's command for all later tasks; no arguments take it away. */
  fixTestCommand(folder: string, args: string[], dir: string): Promise<void>;
  imageList(): Promise<ImageList>;
  /** chooseImage sets the image of a folder or, with folder '', of a language; ref '' goes back to this machine's toolchains. */
  chooseImage(folder: string, language: string, ref: string): Promise<Settings>;
  /** guides reads what a folder's repository says to agents, as it is now. */
  guides(folder: string): Promise<Guides>;
  /** chooseGuides keeps whether it is given to the model; hash is of what the person saw. */
  chooseGuides(folder: string, hash: string, use: boolean): Promise<Guides>;
  /** allowNone lets a folder's tests run without isolation where no sandbox works, or takes that back. */
  allowNone(folder: string, on: boolean): Promise<Settings>;
  /** preparePlan says what installing a folder's dependencies would run and reach; nothing is run. */
  preparePlan(folder: string): Promise<PreparePlan>;
  /** prepare runs a plan that the person saw and agreed to; hash is that plan's. */
  prepare(folder: string, hash: string, allow: string[]): Promise<PrepareReport>;
  cancelPrepare(folder: string): Promise<void>;
  /** toolchains says which one each test command of a folder gets. */
  toolchains(folder: string): Promise<Check[] | null>;
  /** probePlan says what measuring a model would cost; nothing is called. */
  probePlan(ref: string): Promise<ProbePlan>;
  /** probe measures the model and keeps the result in the settings; the topic "probe" tells of each case. */
  probe(ref: string): Promise<ProbeResult>;
  cancelProbe(ref: string): Promise<void>;
  saveModel(ref: string, setting: ModelSetting): Promise<Settings>;
  /** importSession takes in the text of an exported session, or of another tool's record, read-only; it gives the new id. */
  importSession(text: string): Promise<string>;
  /** sessionHits are the first events of a session that hold words of a query. */
  sessionHits(id: string, query: string): Promise<SessionHit[] | null>;
  renameSession(id: string, name: string): Promise<void>;
  pinSession(id: string, on: boolean): Promise<void>;
  /** deleteSession deletes for good; what was written into the folder stays. */
  deleteSession(id: string): Promise<void>;
  /** forkSession goes another way from after an event, with a message and its pictures; it gives the new session's id. */
  forkSession(id: string, seq: number, text: string, images: string[]): Promise<string>;
  compareSessions(id: string, other: string): Promise<Pair[] | null>;
  /** why finds the step that made a changed line; with removed, line is of the file before. */
  why(id: string, path: string, line: number, removed: boolean): Promise<Origin>;
  bills(by: BillsBy): Promise<Bill[] | null>;
  /** notify shows a notice on the desktop; a browser shows its own. */
  notify(n: Notice): Promise<void>;
  openInEditor(folder: string, path: string, line: number): Promise<void>;
  /** on subscribes to a pushed topic; the result ends the subscription. */
  on<T extends Topic>(topic: T, cb: (payload: Pushed[T]) => void): () => void;
  /** browser is true where there are no native dialogs. */
  readonly browser: boolean;
}

type Method = (...args: unknown[]) => Promise<unknown>;

interface Bound {
  go?: { app?: { App?: Record<string, Method> } };
  runtime?: {
    EventsOn?: (name: string, cb: (payload: unknown) => void) => (() => void) | void;
    OnFileDrop?: (cb: () => void, onlyTargets: boolean) => void;
  };
  redgreen?: { mode?: string };
}

function bound(): Bound {
  return window as unknown as Bound;
}

async function call<T>(method: string, ...args: unknown[]): Promise<T> {
  const app = bound().go?.app?.App;
  if (!app) throw new AppError('unavailable', t.general.unconnected);
  const f = app[method];
  if (!f) throw new AppError('internal', t.general.noCall(method));
  try {
    return (await f(...args)) as T;
  } catch (reason) {
    throw decode(reason);
  }
}

const labels: Record<string, string> = { krun: 'microVM', runsc: 'gVisor', crun: 'container', runc: 'container', bwrap: 'namespaces', none: 'no isolation' };

/** withRung names the rung in use where the report only tells which of its lines it is. */
function withRung(d: Doctor): Doctor {
  const line = (d.checks ?? []).find((c) => c.name === d.chosen && c.ok);
  if (d.rung || !line) return { ...d, rung: d.rung ?? null };
  const protects = line.detail.includes(': ') ? line.detail.slice(line.detail.indexOf(': ') + 2) : line.detail;
  return { ...d, rung: { name: d.chosen, label: labels[d.chosen] ?? d.chosen, version: '', protects, warnings: [] } };
}

const real: Backend = {
  boot: () => call('Boot'),
  pickFolder: () => call('PickFolder'),
  openFolder: (path) => call('OpenFolder', path),
  readPicture: (data) => call('ReadPicture', data),
  pastedPicture: () => call('PastedPicture'),
  droppedText: (path) => call('DroppedText', path),
  droppedPicture: (path) => call('DroppedPicture', path),
  models: () => call('Models'),
  rung: (folder) => call('Rung', folder),
  doctor: async () => withRung(await call('Doctor')),
  startTask: (task) => call('StartTask', task),
  session: (id) => call('Session', id),
  sessions: (q) => call('Sessions', q),
  sessionChoices: () => call('SessionChoices'),
  events: (id, after, limit) => call('Events', id, after, limit),
  body: (hash, offset, limit) => call('Body', hash, offset, limit),
  diff: (id) => call('Diff', id),
  diffAt: (id, seq) => call('DiffAt', id, seq),
  approve: (id, hash) => call('Approve', id, hash),
  reject: (id, comment, images) => call('Reject', id, comment, images),
  proveAgain: (id) => call('ProveAgain', id),
  choose: (id, choice) => call('Choose', id, choice),
  sendBack: (id, choice) => call('SendBack', id, choice),
  review: (id) => call('Review', id),
  saveReview: (id, review) => call('SaveReview', id, review),
  undo: (id, redo) => call('Undo', id, redo),
  pause: (id, on) => call('Pause', id, on),
  cancel: (id) => call('Cancel', id),
  say: (id, text, images) => call('Say', id, text, images),
  picture: (hash) => call('Picture', hash),
  takesImages: (ref, folder) => call('TakesImages', ref, folder),
  resume: (id) => call('Resume', id),
  resumeWith: (id, model) => call('ResumeWith', id, model),
  editCriteria: (id, criteria) => call('EditCriteria', id, criteria),
  answerAsk: (id, ask, allow) => call('AnswerAsk', id, ask, allow),
  search: (folder, query, n) => call('Search', folder, query, n),
  complete: (folder, word, n) => call('Complete', folder, word, n),
  saveSettings: (s) => call('SaveSettings', s),
  saveKey: (provider, key) => call('SaveKey', provider, key),
  testCommands: (folder) => call('TestCommands', folder),
  fixTestCommand: (folder, args, dir) => call('FixTestCommand', folder, args, dir),
  imageList: () => call('ImageList'),
  chooseImage: (folder, language, ref) => call('ChooseImage', folder, language, ref),
  guides: (folder) => call('Guides', folder),
  chooseGuides: (folder, hash, use) => call('ChooseGuides', folder, hash, use),
  allowNone: (folder, on) => call('AllowNone', folder, on),
  preparePlan: (folder) => call('PreparePlan', folder),
  prepare: (folder, hash, allow) => call('Prepare', folder, hash, allow),
  cancelPrepare: (folder) => call('CancelPrepare', folder),
  toolchains: (folder) => call('Toolchains', folder),
  probePlan: (ref) => call('ProbePlan', ref),
  probe: (ref) => call('Probe', ref),
  cancelProbe: (ref) => call('CancelProbe', ref),
  saveModel: (ref, setting) => call('SaveModel', ref, setting),
  importSession: (text) => call('ImportSession', text),
  sessionHits: (id, query) => call('SessionHits', id, query),
  renameSession: (id, name) => call('RenameSession', id, name),
  pinSession: (id, on) => call('PinSession', id, on),
  deleteSession: (id) => call('DeleteSession', id),
  forkSession: (id, seq, text, images) => call('ForkSession', id, seq, text, images),
  compareSessions: (id, other) => call('CompareSessions', id, other),
  why: (id, path, line, removed) => call('Why', id, path, line, removed),
  exportSession: (id, as) => call('ExportSession', id, as),
  bills: (by) => call('Bills', by),
  notify: (n) => call('Notify', n),
  openInEditor: (folder, path, line) => call('OpenInEditor', folder, path, line),
  on(topic, cb) {
    if (topic === 'drop') bound().runtime?.OnFileDrop?.(() => undefined, false); // without it Windows tells Go of no drop
    const off = bound().runtime?.EventsOn?.(topic, (payload) => cb(payload as never));
    return typeof off === 'function' ? off : () => undefined;
  },
  get browser() {
    return bound().redgreen?.mode === 'browser';
  },
};

/** connect gives the real backend, or, in a development build with ?fake in the address, the in-memory one. */
export async function connect(): Promise<Backend> {
  if (import.meta.env.DEV && new URLSearchParams(location.search).has('fake')) {
    const { fake } = await import('./fake');
    return fake(new URLSearchParams(location.search));
  }
  return real;
}
