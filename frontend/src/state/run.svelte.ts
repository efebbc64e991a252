// One session in the window, live or saved: pulls events after a number, folds them once a frame, and keeps what was
// derived beside it (the diff, what may be done now).

import { AppError, type Backend, type Diff, type Event, type Kind, type Pushed, type SessionInfo } from '../api';
import { queue } from './frame';
import { quiet, settle, stream, type Live } from './live';
import { ReviewState } from './review.svelte';
import { choice } from './choice';
import { Replay } from './replay.svelte';
import { activity } from './words';
import { empty, outcomeOf, reduceAll, type SessionView } from './session';
import { t } from '../texts';

/** Notices may be lost with a connection; a running session is asked anew this often, in ms, all the same. */
const poll = 4_000;

/** A page of events; a saved session of 10,000 events takes 20 calls of well under 1 MB. */
const page = 500;

/** Kinds after which what may be done changes. */
const turning: ReadonlySet<Kind> = new Set<Kind>([
  'review.asked', 'review.answered', 'patch.applied', 'patch.undone', 'apply.failed', 'session.finished', 'proof.finished',
  'question.asked', 'message',
]);

export class Run {
  readonly id: string;
  whole: SessionView = $state.raw(empty('')); // of all its events
  live: Live = $state.raw(quiet);
  replay: Replay | null = $state.raw(null); // while it plays again
  error: AppError | null = $state.raw(null); // opening it failed
  notice: AppError | null = $state.raw(null); // the last act failed
  phaseText = $state('');
  testing: Pushed['tests'] | null = $state.raw(null); // while tests run
  loaded = $state(false);
  busy = $state(''); // the act that is under way

  #info: SessionInfo | null = $state.raw(null);
  #diff: Diff | null = $state.raw(null);
  readonly #review: ReviewState;
  readonly #backend: Backend;
  readonly #offs: (() => void)[];
  readonly #events;
  readonly #deltas;
  #pulled = 0; // highest number pulled, folded or not
  #pulling = false;
  #again = false;
  #closed = false;
  #asked = 0; // refreshes, by their number
  #answered = 0; // the latest of them that was answered

  constructor(backend: Backend, id: string) {
    this.#backend = backend;
    this.id = id;
    this.whole = empty(id);
    this.#review = new ReviewState(backend, id);
    this.#events = queue<Event>((es) => this.#fold(es));
    this.#deltas = queue<Pushed['deltas'][number]>((ds) => (this.live = stream(this.live, ds)));
    this.#offs = [
      backend.on('notices', (ns) => ns.some((n) => n.session === id && n.seq > this.#pulled) && void this.pull()),
      backend.on('deltas', (ds) => this.#deltas.push(...ds.filter((d) => d.session === id))),
      backend.on('phase', (p) => p.session === id && (this.phaseText = p.text)),
      backend.on('tests', (p) => p.session === id && (this.testing = p.over ? null : p)),
      backend.on('connected', () => void this.catchUp()),
    ];
    const timer = setInterval(() => (this.running || this.owner) && void this.catchUp(), poll);
    this.#offs.push(() => clearInterval(timer));
  }

  /** Whether what the person said can be said anew: not while a run works on it, and not of a record of another tool. */
  get resendable(): boolean {
    return !this.replay && !this.running && !this.owner && !!this.info && !this.info.source;
  }

  async open(): Promise<void> {
    try {
      await this.refresh();
      await this.pull();
      this.#events.now();
      await this.loadDiff();
    } catch (e) {
      this.error = e as AppError;
    }
    this.loaded = true;
  }

  close(): void {
    this.#closed = true;
    this.#review.close();
    this.replay?.close();
    for (const off of this.#offs) off();
    this.#events.stop();
    this.#deltas.stop();
  }

  /** pull fetches what was stored after the last event known; calls that overlap become one more round. */
  async pull(): Promise<void> {
    if (this.#pulling) {
      this.#again = true;
      return;
    }
    this.#pulling = true;
    try {
      do {
        this.#again = false;
        await this.#pullPages();
      } while (this.#again && !this.#closed);
    } finally {
      this.#pulling = false;
    }
  }

  async #pullPages(): Promise<void> {
    for (let more = true; more && !this.#closed; ) {
      const got = await this.#backend.events(this.id, this.#pulled, page);
      const events = got.events ?? [];
      const last = events[events.length - 1];
      if (!last) return;
      this.#pulled = last.seq;
      this.#events.push(...events);
      more = got.more;
    }
  }

  /** catchUp pulls what a lost notice may have told of. */
  async catchUp(): Promise<void> {
    if (!this.loaded || this.error) return;
    try {
      await this.pull();
      await this.refresh();
    } catch {
      // The next round, or the person's next act, meets the same error.
    }
  }

  #fold(events: Event[]): void {
    this.whole = reduceAll(this.whole, events);
    for (const e of events) if (e.kind === 'model.replied') this.live = settle(this.live, e.data.step);
    const news = this.loaded && !this.#info?.live && !this.#info?.owner; // somebody else went on with it
    if (news || events.some((e) => turning.has(e.kind))) void this.refresh().catch(() => undefined);
    if (this.whole.patch && this.whole.patch.hash !== this.#diff?.hash) void this.loadDiff();
  }

  /** refresh asks anew what may be done and what changed in the folder. An answer that a later question overtook is let go. */
  async refresh(): Promise<void> {
    const mine = ++this.#asked;
    const info = await this.#backend.session(this.id);
    if (mine < this.#answered) return;
    this.#answered = mine;
    this.#info = info;
  }

  async loadDiff(): Promise<void> {
    if (!this.whole.patch && !this.#info?.patch_hash) return;
    try {
      this.#diff = await this.#backend.diff(this.id);
      if (this.#diff.hash) await this.#review.use(this.#diff.hash);
    } catch (e) {
      this.notice = e as AppError;
    }
  }

  /** act runs one of the person's decisions; a failure becomes the notice. The result tells whether it went through. */
  async act(name: string, f: (b: Backend) => Promise<unknown>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = name;
    this.notice = null;
    try {
      await f(this.#backend);
      return true;
    } catch (e) {
      this.notice = e as AppError;
      return false;
    } finally {
      this.busy = '';
      await this.pull().catch(() => undefined);
      await this.refresh().catch(() => undefined);
    }
  }

  approve(): Promise<boolean> {
    const hash = this.diff?.hash ?? this.info?.patch_hash ?? '';
    return this.act('write', (b) => b.approve(this.id, hash));
  }

  undo(redo: boolean): Promise<boolean> {
    return this.act('undo', (b) => b.undo(this.id, redo));
  }

  /** reject ends the session without a comment; with one, the model goes on, from the person's choice where there is one. */
  reject(comment: string, images: string[] = []): Promise<boolean> {
    const t = this.review.taken(this.diff);
    if (comment.trim() === '' || (!t.changed && t.notes === 0)) return this.act('reject', (b) => b.reject(this.id, comment, images));
    return this.sendBack(comment, images);
  }
  async sendBack(comment = '', images: string[] = []): Promise<boolean> {
    const said = this.review.now;
    const sent = await this.act('reject', (b) => b.sendBack(this.id, choice(said, comment, images)));
    if (sent) this.review.answered(said.patch_hash);
    return sent;
  }
  choose = () => this.act('choose', (b) => b.choose(this.id, choice(this.review.now)));
  proveAgain = () => this.act('again', (b) => b.proveAgain(this.id));
  cancel = () => this.act('cancel', (b) => b.cancel(this.id));
  /** pause holds the run before its next act, or lets it go on. */
  pause = () => this.act('pause', (b) => b.pause(this.id, !this.paused));
  say = (text: string, images: string[] = []) => this.act('say', (b) => b.say(this.id, text, images));
  editCriteria = (texts: string[]) => this.act('criteria', (b) => b.editCriteria(this.id, texts));
  /** resume goes on; with another model where the person chose one. */
  resume = (model = '') => this.act('resume', (b) => (model ? b.resumeWith(this.id, model) : b.resume(this.id)));

  // What is shown: the session as it is or, while it plays again, as it was.

  get view(): SessionView {
    return this.replay?.view ?? this.whole;
  }

  get diff(): Diff | null {
    return this.replay ? this.replay.diff : this.#diff;
  }

  get review(): ReviewState {
    return this.replay?.review ?? this.#review;
  }

  get info(): SessionInfo | null {
    return this.#info && this.replay ? this.replay.info(this.#info) : this.#info;
  }

  /** playable: nothing works on it, and there is something to play. */
  get playable(): boolean {
    return this.loaded && !this.running && !this.owner && this.whole.items.length > 1;
  }

  /** again begins to play the session from its first event; while it plays, it holds or goes on. */
  async again(): Promise<void> {
    if (this.replay) return this.replay.toggle();
    if (!this.playable || this.busy) return;
    await this.act('replay', async (b) => {
      const all: Event[] = [];
      for (let more = true; more && !this.#closed; ) {
        const got = await b.events(this.id, all[all.length - 1]?.seq ?? 0, page);
        all.push(...(got.events ?? []));
        more = got.more && !!got.events?.length;
      }
      if (this.#closed || all.length === 0) return;
      this.replay = new Replay(b, this.id, all);
      this.replay.play();
    });
  }

  endReplay(): void {
    this.replay?.close();
    this.replay = null;
  }

  /** owner is the other Redgreen that has the session: here it can only be followed. */
  get owner() {
    return this.info?.owner ?? null;
  }

  /** running: a run of this program works on it now. */
  get running(): boolean {
    return !this.replay && !!this.info?.live && !this.view.finished && !this.view.review && this.view.question === '';
  }

  get paused(): boolean {
    return this.running && this.info?.paused === true;
  }

  /** phase is the line that says what is going on. */
  get phase(): string {
    if (this.replay) return activity(this.view);
    return this.running ? this.phaseText || activity(this.view) : '';
  }

  get outcome() {
    return outcomeOf(this.view);
  }

  get outcomeWords() {
    if (!this.replay && this.outcome === 'running' && this.info?.outcome === 'running' && !this.info.live && !this.owner) {
      return { word: t.standing.interrupted, text: t.standing.interruptedText };
    }
    return t.outcomes[this.outcome];
  }
}
