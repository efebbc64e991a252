// The window's own state: where we are, which folder is open, which session is shown.

import type { AppError, Backend, Boot, Doctor, Folder, FolderTests, ModelChoice, ModelImage, ModelInfo, Models, NewTask, Notice, PreparePlan, Pushed, Rung, SessionState, Settings, TestCommand } from '../api';
import { baseName, plainName } from './format';
import { Keys } from './keys';
import { list } from './lists';
import { asks, over, showInBrowser } from './notices';
import { Options } from './options.svelte';
import { Pictures } from './pictures.svelte';
import { mostQuoted } from './quote';
import { Run } from './run.svelte';
import { Written } from './written.svelte';
import { t } from '../texts';

export type View = 'start' | 'task' | 'sessions' | 'settings' | 'doctor';

export interface Toast {
  id: number;
  text: string;
  tone: 'plain' | 'bad';
}

const normalText = 13; // pixels

/** Said is a message of the person in a session's record. */
export interface Said {
  seq: number;
  text: string;
  images?: ModelImage[];
  first: boolean; // the task
}

/** linked is the session that the address names. */
function linked(): string | null {
  const id = /^#\/session\/(.+)$/.exec(location.hash)?.[1];
  return id ? decodeURIComponent(id) : null;
}

export class App {
  readonly backend: Backend;
  readonly keys = new Keys((why) => this.toast(why));
  readonly options = new Options();
  boot: Boot | null = $state.raw(null);
  settings: Settings | null = $state.raw(null);
  view: View = $state('start');
  folder: Folder | null = $state.raw(null);
  tests: FolderTests | null = $state.raw(null); // of the open folder
  testsError: AppError | null = $state.raw(null);
  plan: PreparePlan | null = $state.raw(null); // of the open folder's dependencies
  planError: AppError | null = $state.raw(null);
  run: Run | null = $state.raw(null);
  models: Models | null = $state.raw(null);
  doctor: Doctor | null = $state.raw(null);
  rung: Rung | null = $state.raw(null); // what isolates the tests here
  rungKnown = $state(false);
  doctorError: AppError | null = $state.raw(null);
  index: Pushed['index'] | null = $state.raw(null);
  asks: Pushed['ask'][] = $state.raw([]);
  toasts: Toast[] = $state.raw([]);
  fatal: AppError | null = $state.raw(null);
  openError: { path: string; error: AppError } | null = $state.raw(null);
  opening = $state('');
  quoted = $state(''); // what is to be put into the message's field, as a block
  files: File[] = $state.raw([]); // that are to be put into it
  readonly pictures: Pictures; // of the draft
  anew: Said | null = $state.raw(null); // the message that is said anew
  draft = $state(''); // the task being written, kept when the view changes
  searching = $state(false);
  helping = $state(false);
  offline = $state(false); // the browser lost the program
  asking = $state(false); // the dialog that asks for a path, where there is no native one
  dropped = $state(''); // the name of a folder that it asks for the path of
  now = $state(Date.now()); // for relative times; ticks twice a minute
  #toast = 0;
  #opens = 0; // folders that were asked for: the last one counts
  #elsewhere = false; // the person went to another view since
  #written = new Map<string, Written>();
  #indexes = new Map<string, Pushed['index']>(); // news of a folder may come before the answer that opens it

  constructor(backend: Backend) {
    this.backend = backend;
    this.pictures = new Pictures((data) => backend.readPicture(data));
    backend.on('index', (p) => {
      this.#indexes.set(p.folder, p);
      if (p.folder === this.folder?.path) this.index = p;
    });
    backend.on('disconnected', () => (this.offline = true));
    backend.on('connected', () => (this.offline = false));
    backend.on('open', (p) => void (p.session ? this.openSession(p.session) : this.#openAsked(p.folder)));
    backend.on('ask', (p) => {
      this.asks = [...this.asks, p];
      void this.#tell(p.session, asks);
    });
    backend.on('over', (p) => void this.#tell(p.session, over));
  }

  async start(): Promise<void> {
    try {
      this.boot = await this.backend.boot();
      this.useSettings(this.boot.settings);
    } catch (e) {
      this.fatal = e as AppError;
      return;
    }
    void this.loadModels();
    void this.loadRung();
    setInterval(() => (this.now = Date.now()), 30_000);
    window.addEventListener('hashchange', () => this.#follow());
    const session = this.boot.session ?? linked();
    if (session) await this.openSession(session);
    else if (this.boot.folder) await this.openFolder(this.boot.folder);
  }

  /** An address of a session that is opened or gone back to shows that session. */
  #follow(): void {
    const id = linked();
    if (id && id !== this.run?.id) void this.openSession(id);
  }

  useSettings(s: Settings): void {
    this.settings = s;
    this.options.use(s);
  }

  #saved: Promise<unknown> = Promise.resolve();
  #changes = 0;

  /** saveSettings shows a change at once and stores it after the ones before: two that come quickly are stored in their order, and what the first is answered with does not undo the second. */
  async saveSettings(change: Partial<Settings>): Promise<boolean> {
    if (!this.settings) return false;
    const before = this.settings;
    const asked = { ...before, ...change };
    const n = ++this.#changes;
    this.settings = asked;
    const save = this.#saved.then(() => this.backend.saveSettings(asked));
    this.#saved = save.catch(() => {});
    try {
      const now = await save;
      if (n === this.#changes) this.useSettings(now);
      return true;
    } catch (e) {
      if (n === this.#changes) this.settings = before;
      this.say(e as AppError);
      return false;
    }
  }

  async loadModels(): Promise<void> {
    try {
      this.models = await this.backend.models();
    } catch (e) {
      this.models = { models: [], problems: [{ provider: '', code: (e as AppError).code, message: (e as AppError).message }], default: '' };
    }
  }

  /** loadRung learns what isolates the open folder's tests; the whole examination is for the Doctor view. */
  async loadRung(): Promise<void> {
    const path = this.folder?.path ?? '';
    try {
      const rung = await this.backend.rung(path);
      if (path !== (this.folder?.path ?? '')) return;
      this.rung = rung;
      this.rungKnown = true;
    } catch {
      await this.loadDoctor();
    }
  }

  async loadDoctor(): Promise<void> {
    this.doctorError = null;
    try {
      this.doctor = await this.backend.doctor();
      const none = this.folder && list(this.settings?.allow_none).includes(this.folder.path);
      if (this.doctor.rung || !none) this.rung = this.doctor.rung ?? null;
      this.rungKnown = true;
    } catch (e) {
      this.doctorError = e as AppError;
    }
  }

  async reboot(): Promise<void> {
    try {
      this.boot = await this.backend.boot();
    } catch {
      // What was known stays shown.
    }
  }

  go(view: View): void {
    this.#elsewhere = view !== 'task';
    if (view === 'task' && !this.folder && !this.run) view = 'start';
    this.view = view;
    if (view === 'start') void this.reboot();
  }

  /** pickFolder asks for a folder with the native dialog, or with our own where there is none. */
  async pickFolder(): Promise<void> {
    if (this.backend.browser) {
      this.asking = true;
      return;
    }
    try {
      const path = await this.backend.pickFolder();
      if (path) await this.openFolder(path);
    } catch (e) {
      if ((e as AppError).code === 'unavailable') this.asking = true;
      else this.say(e as AppError);
    }
  }

  /** dropFolder opens a folder that was dropped; a browser tells no more than its name. */
  dropFolder(path: string): void {
    if (!this.backend.browser) return void this.#openAsked(path);
    this.dropped = path;
    this.asking = true;
  }

  /** written is the message that is being written at a place, such as a session: it stays while something else is shown. */
  written(place: string): Written {
    const there = this.#written.get(place) ?? new Written(this.backend);
    this.#written.set(place, there);
    return there;
  }

  /** quoteDropped puts files into the message's field that the window alone can read, one after the other; of what cannot be read it is said why. */
  async quoteDropped(paths: readonly string[]): Promise<void> {
    const wrong: AppError[] = [];
    for (const path of paths.slice(0, mostQuoted)) {
      try {
        const file = await this.#dropped(path);
        this.files = [...this.files, file];
      } catch (e) {
        wrong.push(e as AppError);
      }
    }
    for (const e of wrong.slice(0, 2)) this.say(e);
    if (wrong.length > 2) this.toast(t.quote.more(wrong.length - 2), 'bad');
    if (paths.length > mostQuoted) this.toast(t.quote.tooMany(mostQuoted), 'bad');
  }

  async #dropped(path: string): Promise<File> {
    const name = baseName(path);
    if (!/\.(png|jpe?g|gif|webp)$/i.test(name)) return new File([await this.backend.droppedText(path)], name);
    const p = await this.backend.droppedPicture(path);
    return new File([Uint8Array.from(atob(p.data), (c) => c.charCodeAt(0))], name, { type: p.type });
  }

  openSample(): string | void {
    const sample = this.boot?.sample;
    if (!sample) return t.notNow.sample;
    void this.openFolder(sample.path, sample.task);
  }

  /** resize makes the text larger or smaller by so many pixels, 0 as large as it was at first; it gives why not where it is that. */
  resize(by: number): string | void {
    const now = this.settings?.font_size || normalText;
    const size = by === 0 ? normalText : Math.min(18, Math.max(11, now + by));
    if (size === now) return by > 0 ? t.notNow.largest : by < 0 ? t.notNow.smallest : t.notNow.normal;
    void this.saveSettings({ font_size: size });
  }

  /** paint takes another theme, or gives why not. */
  paint(theme: Settings['theme']): string | void {
    if (theme === (this.settings?.theme ?? 'system')) return t.notNow.theme;
    void this.saveSettings({ theme });
  }

  /** openFolder gives whether the folder is open now: one that is asked for later, or a session, takes its place. Whoever goes to a view meanwhile stays there. */
  async openFolder(path: string, draft = ''): Promise<boolean> {
    const n = ++this.#opens;
    this.#elsewhere = false;
    this.opening = path;
    this.openError = null;
    try {
      const folder = await this.backend.openFolder(path);
      if (n !== this.#opens) return false;
      this.#show(folder);
      if (this.run?.running) this.toast(t.openFolder.goesOn);
      this.closeRun();
      const sample = this.boot?.sample;
      if (draft) this.draft = draft;
      else if (sample && folder.path === sample.path && !this.draft) this.draft = sample.task;
      if (!this.#elsewhere) this.view = 'task';
      if (folder.recovered) this.toast(folder.recovered);
      return true;
    } catch (e) {
      if (n === this.#opens) this.openError = { path, error: e as AppError };
      return false;
    } finally {
      if (n === this.#opens) this.opening = '';
    }
  }

  /** leaveOpening has the folder that is being opened not be shown. */
  leaveOpening(): void {
    this.#opens++;
    this.opening = '';
  }

  /** A folder that a second start names, or that was dropped, and that cannot be opened is said on the start view. */
  async #openAsked(path: string): Promise<void> {
    if (!(await this.openFolder(path)) && this.openError?.path === path) this.view = 'start';
  }

  #show(folder: Folder): void {
    this.folder = { ...folder, name: plainName(folder.name) };
    this.tests = null;
    this.plan = null;
    void this.loadTests();
    void this.loadPlan();
    void this.loadRung();
    this.index = this.#indexes.get(folder.path) ?? { folder: folder.path, done: 0, total: 0, chunks: folder.index.chunks, ready: folder.index.ready, error: '' };
  }

  async loadTests(): Promise<void> {
    const path = this.folder?.path;
    if (!path) return;
    this.testsError = null;
    try {
      const tests = await this.backend.testCommands(path);
      if (this.folder?.path === path) this.tests = tests;
    } catch (e) {
      this.testsError = e as AppError;
    }
  }

  /** loadPlan learns what of the folder's dependencies is not installed for its tests. */
  async loadPlan(): Promise<void> {
    const path = this.folder?.path;
    if (!path) return;
    this.planError = null;
    try {
      const plan = await this.backend.preparePlan(path);
      if (this.folder?.path === path) this.plan = plan;
    } catch (e) {
      this.planError = e as AppError;
    }
  }

  /** testCommand is what runs the open folder's tests: the one that the person fixed, else the first that was found. */
  get testCommand(): TestCommand | null {
    const fixed = this.tests?.fixed;
    if (fixed && list(fixed.args).length > 0) return { runner: 'custom', dir: fixed.dir, args: fixed.args, source: t.options.byYou };
    return list(this.tests?.found ?? this.folder?.test_commands)[0] ?? null;
  }

  /** Keeps whether what the repository says to agents is given to the model, once the person has seen it. */
  async chooseGuides(use: boolean): Promise<AppError | null> {
    const folder = this.folder;
    if (!folder?.guides) return null;
    try {
      const guides = await this.backend.chooseGuides(folder.path, folder.guides.hash, use);
      if (this.folder === folder) this.folder = { ...folder, guides };
      return null;
    } catch (e) {
      return e as AppError;
    }
  }

  /** Reads it again, so that it is shown as it is now. */
  async #loadGuides(): Promise<void> {
    const folder = this.folder;
    if (!folder) return;
    try {
      const guides = await this.backend.guides(folder.path);
      if (this.folder === folder) this.folder = { ...folder, guides };
    } catch {
      // The task's own error is on show.
    }
  }

  /** takes gives what is known of a model that pictures are to go to, null where it cannot be asked: starting the task says why. */
  async takes(ref: string, folder: string): Promise<ModelInfo | null> {
    try {
      return await this.backend.takesImages(ref, folder);
    } catch {
      return null;
    }
  }

  async startTask(task: NewTask): Promise<AppError | null> {
    try {
      const id = await this.backend.startTask(task);
      await this.openSession(id);
      if (this.folder?.guides && task.guides) this.folder = { ...this.folder, guides: { ...this.folder.guides, seen: true } };
      return null;
    } catch (e) {
      if ((e as AppError).code === 'conflict') void this.#loadGuides();
      return e as AppError;
    }
  }

  async openSession(id: string): Promise<void> {
    this.closeRun();
    this.leaveOpening();
    const run = new Run(this.backend, id);
    this.run = run;
    this.view = 'task';
    history.replaceState(null, '', `#/session/${encodeURIComponent(id)}`);
    await run.open();
    const path = run.info?.folder;
    if (path && this.folder?.path !== path && this.run === run) await this.#openQuietly(path);
  }

  /** The folder of a saved session may be gone; the session is shown all the same. */
  async #openQuietly(path: string): Promise<void> {
    const n = ++this.#opens;
    try {
      const folder = await this.backend.openFolder(path);
      if (n === this.#opens) this.#show(folder);
    } catch {
      if (n === this.#opens) this.folder = null;
    }
  }

  /** newTask leaves the session that is shown; a running one goes on. */
  newTask(): void {
    if (!this.folder) return this.go('start');
    this.closeRun();
    this.view = 'task';
  }

  /** sayAnew has a person's message be edited: a task begins anew, a later message is another way from before it. */
  sayAnew(said: Said): void {
    if (!said.first) {
      this.anew = said;
      return;
    }
    this.newTask();
    if (!this.draft.includes(said.text)) {
      this.draft = this.draft.trim() ? `${this.draft.trimEnd()}\n\n${said.text}` : said.text;
      void this.pictures.again(said.images ?? [], this.backend.picture);
    }
    this.toast(t.say.anewTask);
  }

  closeRun(): void {
    if (!this.run) return;
    this.run.close();
    this.run = null;
    if (location.hash.startsWith('#/session/')) history.replaceState(null, '', location.pathname + location.search);
  }

  /** A person who looks elsewhere is told of a session by the desktop, if they want that. */
  async #tell(id: string, say: (s: SessionState) => Notice | null): Promise<void> {
    if (document.hasFocus() || !this.settings?.notify) return;
    try {
      const notice = say(await this.backend.session(id));
      if (!notice) return;
      if (this.backend.browser) showInBrowser(notice, () => void this.openSession(id));
      else await this.backend.notify(notice);
    } catch {
      // A desktop without notifications: the window says it all the same.
    }
  }

  async answer(allow: boolean): Promise<void> {
    const ask = this.asks[0];
    if (!ask) return;
    this.asks = this.asks.slice(1);
    try {
      await this.backend.answerAsk(ask.session, ask.ask_id, allow);
    } catch (e) {
      this.say(e as AppError);
    }
  }

  async edit(path: string, line: number): Promise<void> {
    const folder = this.run?.info?.folder ?? this.folder?.path;
    if (!folder) return;
    try {
      await this.backend.openInEditor(folder, path, line);
    } catch (e) {
      this.toast((e as AppError).message, 'bad', 6_000);
    }
  }

  /** toast shows a line for a moment; the same line again takes the place of the one that is there. */
  toast(text: string, tone: Toast['tone'] = 'plain', ms = tone === 'bad' ? 12_000 : 5_000): void {
    const id = ++this.#toast;
    this.toasts = [...this.toasts.filter((t) => t.text !== text), { id, text, tone }];
    setTimeout(() => this.dismiss(id), ms);
  }

  say(e: AppError): void {
    this.toast(e.message, 'bad');
  }

  dismiss(id: number): void {
    this.toasts = this.toasts.filter((t) => t.id !== id);
  }

  /** usable are the models for the open folder: a recorded one only plays the fix of the sample. */
  get usable(): ModelChoice[] {
    const sample = this.boot?.sample?.path;
    return list(this.models?.models).filter((m) => !m.recorded || (!!sample && this.folder?.path === sample));
  }

  /** defaultModel is what a new task uses: the setting where it can be had, else what the Go side offers first. */
  get defaultModel(): string {
    const refs = this.usable.map((m) => m.ref);
    const wanted = [this.settings?.model ?? '', this.models?.default ?? ''].find((r) => refs.includes(r));
    return wanted ?? refs[0] ?? this.settings?.model ?? '';
  }
}
