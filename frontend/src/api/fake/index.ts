// An in-memory backend that plays a whole session, for development, tests and screenshots. Only in development builds,
// with ?fake in the address; ?scene= chooses how the session goes, ?speed= how fast, ?open=1 opens a finished one.

import { AppError } from '../error';
import { without } from '../hunks';
import type { Backend } from '../index';
import type { Bill, Boot, Check, Choice, Diff, Event, FolderTests, Found, Guides, Hit, Kind, ModelImage, ModelInfo, NewTask, Payloads, Picture, PrepareStep, ProbeResult, Pushed, Review, SessionInfo, SessionState, Settings, Topic } from '../types';
import { big, files as plain, folder, picture, several, task, uneven } from './repo';
import { again, certificate, proveChoice, diffOf, opening, sandbox, work, type Beat, type Scene } from './script';

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='; // a picture of one pixel

const models: ModelInfo[] = [
  { provider: 'ollama', name: 'qwen3-coder', label: 'qwen3-coder', local: true, window: 32768 },
  { provider: 'anthropic', name: 'claude-sonnet-4-5', label: 'claude-sonnet-4-5', local: false, window: 200000, images: 'yes' },
  { provider: 'script', name: 'sample', label: 'recorded model', local: true, window: 32768, images: 'no' },
];

const engine: ModelInfo = { provider: 'builtin', name: 'repair', label: 'built-in engine (no language model)', local: true, window: 0, search: true, images: 'no' };

interface FakeSession {
  info: SessionInfo;
  events: Event[];
  scene: Scene;
  stop: boolean;
  asked: (() => void) | null;
  goOn?: () => void; // it is paused
}

const limits = { steps: 30, micro_usd: 1_000_000, tokens: 0, wall: 20 * 60e9 };

export function fake(q: URLSearchParams): Backend {
  const scene = (q.get('scene') ?? 'proven') as Scene;
  const tabbed = (text: string | null) => (q.has('tabs') && text ? text.replaceAll('    ', '\t') : text);
  const files = [...(scene === 'hunks' ? several : plain), ...(q.has('picture') ? [picture] : [])].map((f) => ({ ...f, before: tabbed(f.before), after: tabbed(f.after) }));
  const speed = Number(q.get('speed') ?? '1') || 1;
  const sessions = new Map<string, FakeSession>();
  const listeners = new Map<Topic, Set<(p: never) => void>>();
  const blank = q.has('blank');
  let settings: Settings = {
    theme: (q.get('theme') as Settings['theme']) ?? 'system', model: '', limits, ask_edits: false, font_size: Number(q.get('font')) || 13, notify: true, base_urls: {}, runtime: '', editor: '',
  };
  let fixed: FolderTests['fixed'] = { args: [], dir: '' };
  let guides: Guides = q.has('guides')
    ? { files: [{ path: '../AGENTS.md', text: '# Of the whole repository\n\n- Money is counted in cents.\n- Every change comes with its test.' }, { path: 'CLAUDE.md', text: 'Run `pytest -q` before you finish. Do not touch migrations.' }], hash: 'aa11', seen: false, off: false }
    : { files: [], hash: '', seen: true, off: false };
  let step: PrepareStep = {
    language: 'python', name: 'pip', dir: '', lockfile: 'requirements.txt', commands: [['python3', '-m', 'venv', '.venv'], ['.venv/bin/python', '-m', 'pip', 'install', '--requirement', 'requirements.txt']],
    hosts: ['pypi.org', 'files.pythonhosted.org'], tool: '/usr/bin/python3', tool_from: 'the system', ready: false, problem: '',
  };
  let counter = 0;
  let disk = new Map(files.map((f) => [f.path, f.before]));

  let mine: Choice | null = null; // what the person chose of the patch

  /** chosen are the files of the patch as the person left them. */
  function chosen(): typeof files {
    return files.flatMap((f) => {
      const own = mine?.edits.find((e) => e.path === f.path);
      const hunks = diffOf([f])[0]?.hunks ?? [];
      const after = own?.text ?? without(f.before ?? '', hunks, (i) => !!mine?.drop.some((d) => d.path === f.path && d.hunk === i));
      return after === (f.before ?? '') ? [] : [{ ...f, after }];
    });
  }

  const emit = <T extends Topic>(t: T, p: Pushed[T]) => listeners.get(t)?.forEach((cb) => (cb as (p: Pushed[T]) => void)(p));
  // A test chooses an item of the desktop window's menu.
  window.addEventListener('redgreen-command', (e) => emit('command', (e as CustomEvent<string>).detail));
  window.addEventListener('redgreen-drop', (e) => emit('drop', (e as CustomEvent<Pushed['drop']>).detail)); // or drops something
  const saves: Settings[] = []; // in the order in which they are stored
  let asked = 0;
  const sleep = (ms: number) => (speed >= 1000 ? Promise.resolve() : new Promise<void>((r) => setTimeout(r, ms / speed)));
  const fail = (code: 'not_found' | 'conflict' | 'invalid' | 'unavailable', message: string): never => {
    throw new AppError(code, message);
  };
  const need = (id: string): FakeSession => sessions.get(id) ?? fail('not_found', `There is no session ${id}. It may have been deleted; open another from the list.`);

  const pictures = new Map<string, Picture>();
  const keep = (images: string[] = []): ModelImage[] =>
    images.map((data, i) => {
      const hash = `picture-${pictures.size + i}`;
      pictures.set(hash, { type: 'image/png', data });
      return { type: 'image/png', hash, size: Math.floor((data.length * 3) / 4), width: 240, height: 120 };
    });

  function create(t: NewTask, at: number, how: Scene): FakeSession {
    const model = models.find((m) => `${m.provider}/${m.name}` === t.model) ?? (models[0] as ModelInfo);
    const id = `s${++counter}`;
    const iso = new Date(at).toISOString();
    const s: FakeSession = {
      scene: how, events: [], stop: false, asked: null,
      info: {
        id, folder: t.folder, task: t.text, model, limits: t.limits, created: iso, updated: iso, seq: 0, outcome: 'running', steps: 0, micro_usd: 0,
        priced: how !== 'unpriced', usage: { known: true, input: 0, output: 0 }, context: 0, sandbox, patch: { files: [] }, patch_hash: '', proof: '', applied: false,
        live: true, can_approve: false, can_undo: false, can_resume: false, stale: [],
      },
    };
    sessions.set(id, s);
    return s;
  }

  function store<K extends Kind>(s: FakeSession, kind: K, data: Payloads[K], at: number): void {
    if (kind === 'model.replied' && !s.info.model.local) {
      const d = data as Payloads['model.replied'];
      data = { ...d, micro_usd: d.usage.input * 3 + d.usage.output * 15 } as Payloads[K];
    }
    const e = { seq: s.events.length + 1, session: s.info.id, time: new Date(at).toISOString(), kind, data } as Event;
    s.events.push(e);
    s.info = { ...s.info, seq: e.seq, updated: e.time };
    follow(s, e);
    emit('notices', [{ session: s.info.id, seq: e.seq, kind }]);
  }

  function follow(s: FakeSession, e: Event): void {
    const set = (x: Partial<SessionInfo>) => (s.info = { ...s.info, ...x });
    switch (e.kind) {
      case 'model.replied':
        return void set({ steps: e.data.step, micro_usd: s.info.micro_usd + e.data.micro_usd, context: e.data.usage.input, usage: { known: true, input: s.info.usage.input + e.data.usage.input, output: s.info.usage.output + e.data.usage.output } });
      case 'patch.changed':
        return void set({ patch: e.data.patch, patch_hash: e.data.hash });
      case 'proof.finished':
        return void set({ proof: e.data.state, certificate: e.data.certificate });
      case 'question.asked':
        return void set({ outcome: 'waiting', question: e.data.text });
      case 'message':
        return void set({ outcome: 'running', question: '' });
      case 'review.asked':
        return void set({ outcome: 'review', can_approve: true, scrutiny: e.data.scrutiny ?? [], stale: s.scene === 'stale' ? ['app/invoices.py'] : [] });
      case 'review.answered':
        return void set({ can_approve: false, outcome: 'running' });
      case 'patch.applied':
        return void set({ applied: true, can_undo: true });
      case 'patch.undone':
        return void set({ applied: false, can_undo: true });
      case 'session.finished':
        return void set({ outcome: e.data.outcome, live: false, can_approve: false });
      default:
    }
  }

  /** play stores events dated as if speed were 1, so that times are the same at any speed. */
  async function play(s: FakeSession, beats: Beat[]): Promise<void> {
    let at = Math.max(Date.now(), Date.parse(s.info.updated));
    for (const b of beats) {
      at += b.wait * 1.7;
      await sleep(b.wait);
      if (s.info.paused) {
        emit('phase', { session: s.info.id, text: 'Paused' });
        await new Promise<void>((r) => (s.goOn = r));
      }
      if (s.stop) return;
      if ('phase' in b) emit('phase', { session: s.info.id, text: b.phase });
      else if ('tests' in b) emit('tests', { session: s.info.id, ...b.tests });
      else if ('text' in b) emit('deltas', [{ session: s.info.id, step: b.step, text: b.text }]);
      else if ('ask' in b) {
        emit('ask', { session: s.info.id, ask_id: `a${s.events.length}`, kind: 'edit_workspace', object: b.ask });
        await new Promise<void>((r) => (s.asked = r));
      } else store(s, b.kind, b.data, at);
      if ('kind' in b && b.kind === 'question.asked') {
        await new Promise<void>((r) => (s.asked = r));
        if (s.stop) return;
      }
    }
    emit('phase', { session: s.info.id, text: '' });
    emit('over', { session: s.info.id, outcome: s.info.outcome });
  }

  /** past makes a finished session in no time, its events dated as if it had run. */
  function past(text: string, how: Scene, minutesAgo: number, model: string, approve: boolean, most = Infinity): FakeSession {
    let at = Date.now() - minutesAgo * 60_000;
    const s = create({ folder, text, model, limits, ask_edits: false, test_cmd: [] }, at, how);
    for (const b of [...opening({ task: text, model: s.info.model, limits, askEdits: false }), ...work(how)].slice(0, most)) {
      at += b.wait * 1.7;
      if ('kind' in b) store(s, b.kind, b.data, at);
    }
    if (approve) {
      store(s, 'review.answered', { decision: 'approve', by: 'person' }, at + 40_000);
      store(s, 'patch.applied', { files: files.map((f) => f.path) }, at + 40_100);
      store(s, 'session.finished', { outcome: 'proven', patch: '', certificate: certificate({}), steps: 7, usd: 0, tokens: 24_890, applied: true }, at + 40_120);
    } else if (s.info.outcome === 'review') s.info = { ...s.info, live: false };
    return s;
  }

  if (q.has('interrupted')) {
    const s = past('Exports of last year lack the tax line', 'proven', 60 * 30, 'ollama/qwen3-coder', false, 16);
    s.info = { ...s.info, interrupted: true, live: false, can_resume: true };
  }
  if (!blank) {
    past('Totals of a discounted order are off by one cent', 'proven', 60 * 26, 'ollama/qwen3-coder', true);
    past('Paging shows an empty last page', 'not_proven', 60 * 5, 'anthropic/claude-sonnet-4-5', false);
    past('Where does the city come from when the address is imported?', 'limit', 190, 'ollama/qwen3-coder', false);
    past(task, 'proven', 34, 'script/sample', true);
  }

  /** long makes a session of n steps, four events each. */
  function long(n: number): void {
    const at = Date.now() - 3600e3;
    const s = create({ folder, text: `A session of ${n * 4} events`, model: 'ollama/qwen3-coder', limits: { ...limits, steps: n }, ask_edits: false, test_cmd: [] }, at, 'proven');
    const args = '{"query":"billing address"}';
    for (const b of opening({ task: s.info.task, model: s.info.model, limits: s.info.limits, askEdits: false })) if ('kind' in b) store(s, b.kind, b.data, at);
    for (let i = 1; i <= n; i++) {
      store(s, 'step.started', { step: i }, at + i * 900);
      store(s, 'model.replied', { step: i, message: { role: 'assistant', text: `Step ${i}: where is the address read, and by what?` }, stop: 'calls', usage: { known: true, input: 900, output: 40 }, micro_usd: 0, priced: true, ms: 300 + (i % 9) * 100 }, at + i * 900);
      store(s, 'tool.called', { step: i, call_id: `l${i}`, tool: 'search_code', args, verdict: 'allow' }, at + i * 900);
      store(s, 'tool.finished', { step: i, call_id: `l${i}`, tool: 'search_code', ok: true, summary: `${i % 12} places in 4 files`, text: 'app/invoices.py:48', ms: 3 + (i % 40) }, at + i * 900 + 50);
    }
    store(s, 'session.finished', { outcome: 'limit', message: `Stopped after ${n} steps.`, patch: '', certificate: null, steps: n, usd: 0, tokens: n * 940, applied: false }, at + n * 900);
  }
  if (q.has('long')) long(Number(q.get('long')) || 2500);

  const boot: Boot = {
    version: '0.1.0', mode: 'browser', display_name: 'Ada', folder: q.has('folder') ? folder : null,
    recent: blank ? [] : [
      { path: folder, name: 'invoice-api', opened: new Date(Date.now() - 34 * 60e3).toISOString(), exists: true },
      { path: '/home/ada/src/shopfront', name: 'shopfront', opened: new Date(Date.now() - 27 * 3600e3).toISOString(), exists: true },
      { path: '/home/ada/old/ledger', name: 'ledger', opened: '2026-01-02T08:00:00Z', exists: false },
    ],
    sample: { path: folder, name: 'invoice-api', task }, settings, session: q.get('session'),
    keys: [{ provider: 'openai', env: 'OPENAI_API_KEY', set: false }, { provider: 'anthropic', env: 'ANTHROPIC_API_KEY', set: true }, { provider: 'gemini', env: 'GEMINI_API_KEY', set: false }],
  };

  const checks: Check[] = [
    { name: 'krun', ok: false, detail: 'microVM: this machine has no hardware virtualisation (/dev/kvm is missing).', took: 3e6 },
    { name: 'runsc', ok: true, detail: 'gVisor release-20250707.0 ran a probe under its own kernel.', took: 840e6 },
    { name: 'crun', ok: true, detail: 'container: crun 1.8.1 ran a probe.', took: 410e6 },
    { name: 'runc', ok: false, detail: 'runc is not installed.', fix: 'sudo apt install runc', took: 1e6 },
    { name: 'bwrap', ok: true, detail: 'namespaces: bubblewrap 0.8.0 ran a probe.', took: 52e6 },
  ];
  const kept: Check[] = [
    { name: 'runsc: kernel', ok: true, detail: "its own, 4.4.0, not the host's 6.1.0-37-amd64", took: 610e6 },
    { name: 'runsc: no network', ok: true, detail: 'held', took: 640e6 },
    { name: 'runsc: loopback inside', ok: true, detail: 'held', took: 820e6 },
    { name: 'runsc: host files are not seen', ok: true, detail: 'held', took: 590e6 },
    { name: 'runsc: exit status', ok: true, detail: '41 came back as 41', took: 570e6 },
    { name: 'runsc: file ownership', ok: true, detail: 'what it writes belongs to a user without rights (65521) on the host', took: 600e6 },
    { name: 'runsc: kill at the time limit', ok: true, detail: 'stopped after 619ms (timeout)', took: 1400e6 },
    { name: 'runsc: start', ok: true, detail: 'an empty run takes 540ms', took: 540e6 },
  ];

  const backend: Backend = {
    browser: !q.has('window'),
    boot: async () => ({ ...boot, settings }),
    pickFolder: async () => fail('unavailable', 'There is no folder dialog in a browser. Type or paste the path.'),
    async readPicture(data) {
      await sleep(60);
      const i = new Image();
      i.src = `data:image/png;base64,${data}`;
      return i.decode().then(() => ({ type: 'image/png', data }), () => fail('invalid', 'the PNG picture cannot be read, so it is damaged or cut off; save it anew'));
    },
    pastedPicture: async () => ({ type: 'image/png', data: dot }),
    droppedPicture: async (path) => (path.endsWith('dropped.png') ? { type: 'image/png', data: dot } : fail('invalid', `${path}: the JPEG picture cannot be read, so it is damaged or cut off; save it anew`)),
    droppedText: async (path) => (path.endsWith('.log') ? `E  1 != 2 in ${path}` : fail('invalid', `${path} is no text file of at most 8 MB, so it cannot be quoted`)),
    async openFolder(path) {
      await sleep(120);
      if (!path.startsWith('/home/ada')) fail('not_found', `${path} does not exist. Check the path, or open another folder.`);
      const name = path.split('/').pop() ?? path;
      void (async () => {
        for (let n = 0; n <= 42; n += 6) {
          emit('index', { folder: path, done: n, total: 42, chunks: n * 7, ready: n === 42, error: '' });
          await sleep(180);
        }
      })();
      return {
        path, name, branch: 'main', commit: '4be1d07', files: 42, languages: [{ name: 'Python', files: 31 }, { name: 'YAML', files: 4 }],
        test_commands: [{ runner: 'pytest', dir: '', args: ['python3', '-m', 'pytest', '-q'], source: 'pyproject.toml' }, { runner: 'unittest', dir: '', args: ['python3', '-m', 'unittest'], source: 'tests/' }],
        index: { files: 42, chunks: 312, ready: q.has('indexed') }, recovered: '', truncated: false, guides,
      };
    },
    models: async () => ({
      models: q.has('engine') ? [{ ...engine, ref: 'builtin/repair', recorded: false }] : blank ? [{ ...(models[2] as ModelInfo), ref: 'script/sample', recorded: true }] : models.map((m) => ({ ...m, ref: `${m.provider}/${m.name}`, recorded: m.provider === 'script' })),
      problems: [{ provider: 'openai', code: 'denied', message: 'No key is set: set OPENAI_API_KEY, or give one in the settings.' }],
      default: q.has('engine') ? 'builtin/repair' : blank ? 'script/sample' : 'ollama/qwen3-coder',
    }),
    rung: async (f) => (settings.allow_none?.includes(f) && q.has('nosandbox') ? { name: 'none', label: 'no isolation', version: '', protects: 'Nothing is kept from the tests.', warnings: [] } : q.has('nosandbox') ? fail('unavailable', 'No sandbox works here.') : { ...sandbox, version: 'release-20250707.0' }),
    async doctor() {
      await sleep(300);
      return q.has('nosandbox')
        ? { chosen: '', rung: null, checks: checks.map((c) => ({ ...c, ok: false, fix: c.fix ?? `sudo apt install ${c.name === 'runsc' ? 'runsc' : 'podman'}` })) }
        : { chosen: 'runsc', rung: { ...sandbox, version: 'release-20250707.0' }, checks: [...checks, ...kept] };
    },
    async startTask(t) {
      if (!t.text) fail('invalid', 'The task is empty. Say what is wrong.');
      if (q.has('engine') && t.kind === 'feature') fail('invalid', 'the built-in engine cannot add a feature; it needs a language model');
      const s = create(t, Date.now(), scene);
      const beats = [...opening({ task: t.text, images: keep(t.images), model: s.info.model, limits: t.limits, askEdits: t.ask_edits, kind: t.kind || (scene === 'feature' || scene === 'explain' ? scene : 'fix'), kindBy: t.kind ? 'person' : 'text', slow: scene === 'slow' }), ...work(t.ask_edits ? 'ask' : scene)];
      void play(s, beats);
      return s.info.id;
    },
    session: async (id) => need(id).info,
    async sessions({ folder: f, query = '', outcome, model, since, pinned, limit, offset }) {
      const fits = (s: SessionState) =>
        (!f || s.folder === f) && (s.task + (s.name ?? '')).toLowerCase().includes(query.toLowerCase()) && (!outcome || s.outcome === outcome) &&
        (!model || `${s.model.provider}/${s.model.name}` === model) && (!since || Date.parse(s.created) >= Date.parse(since)) && (!pinned || !!s.pinned);
      const all = [...sessions.values()].map((s) => s.info).filter(fits);
      all.sort((a, b) => Number(!!b.pinned) - Number(!!a.pinned) || b.updated.localeCompare(a.updated));
      return { sessions: all.slice(offset, offset + limit), total: all.length };
    },
    async sessionChoices() {
      const all = [...sessions.values()].map((s) => s.info);
      const ref = (s: SessionState) => `${s.model.provider}/${s.model.name}`;
      return { folders: [...new Set(all.map((s) => s.folder))].sort(), models: [...new Map(all.map((s) => [ref(s), s.model])).values()] };
    },
    async events(id, after, limit) {
      const s = need(id);
      const events = s.events.slice(after, after + limit);
      return { events, more: after + events.length < s.events.length };
    },
    async body(hash, offset, limit) {
      const all = hash === 'log' ? Array.from({ length: 900 }, (_, i) => `tests/test_${i % 7}.py::case_${i} PASSED`).join('\n') : `${hash}: the whole text\n`.repeat(40);
      const next = offset + limit < all.length ? offset + limit : 0;
      return { text: all.slice(offset, offset + limit), total: all.length, next };
    },
    async exportSession(id, as) {
      const s = await this.session(id);
      return { path: '', name: `redgreen-${id}.${as === 'markdown' ? 'md' : as}`, text: s.task };
    },

    async diff(id): Promise<Diff> {
      const s = need(id);
      const shown = s.info.patch_hash === 'patch-1' ? files.slice(1) : s.info.patch_hash.startsWith('chosen') ? chosen() : files;
      return { hash: s.info.patch_hash, files: s.info.patch_hash ? diffOf(s.scene === 'big' ? [...shown, big(10_000)] : s.scene === 'uneven' ? [...shown, uneven(6_000)] : shown) : [] };
    },
    async diffAt(id, seq): Promise<Diff> {
      const s = need(id);
      const last = s.events.filter((e) => e.seq <= seq && e.kind === 'patch.changed').at(-1);
      const hash = last?.kind === 'patch.changed' ? last.data.hash : '';
      return { hash, files: hash ? diffOf(hash === 'patch-1' ? files.slice(1) : files) : [] };
    },
    async approve(id, hash) {
      const s = need(id);
      await sleep(150);
      if (hash !== s.info.patch_hash) fail('conflict', 'The patch changed since you read it. Read it again, then approve.');
      if (q.has('conflict')) fail('conflict', 'app/invoices.py changed in your folder since the proof. Nothing was written. Start the task again to prove it against what is there now.');
      const paths = files.map((f) => f.path);
      disk = new Map(files.map((f) => [f.path, f.after]));
      store(s, 'review.answered', { decision: 'approve', by: 'person' }, Date.now());
      store(s, 'patch.applied', { files: paths }, Date.now());
      const outcome = s.info.proof === 'proven' ? 'proven' : 'not_proven';
      store(s, 'session.finished', { outcome, patch: '', certificate: certificate({}), steps: s.info.steps, usd: 0, tokens: 24_890, applied: true }, Date.now());
      return { files: paths };
    },
    async reject(id, comment, images) {
      const s = need(id);
      store(s, 'review.answered', { decision: 'reject', by: 'person', comment, images: keep(images) }, Date.now());
      if (comment) void play(s, again(s.info.steps + 1));
      else store(s, 'session.finished', { outcome: 'not_proven', message: 'You rejected the patch.', patch: '', certificate: null, steps: s.info.steps, usd: 0, tokens: 24_890, applied: false }, Date.now());
    },
    async proveAgain(id) {
      const s = need(id);
      s.scene = 'proven';
      store(s, 'review.answered', { decision: 'again', by: 'person' }, Date.now());
      void play(s, again(s.info.steps + 1));
    },
    async choose(id, c) {
      const s = need(id);
      if (c.patch_hash !== s.info.patch_hash) fail('conflict', 'The patch changed since you read it. Read it again, then choose.');
      mine = c;
      const now = chosen();
      store(s, 'patch.changed', { step: s.info.steps, patch: { files: diffOf(now).map((d) => ({ ...d, before: 'b', after: 'a' })) }, hash: `chosen-${++counter}`, stat: { added: 1, removed: 1 } }, Date.now());
      store(s, 'review.answered', { decision: 'again', by: 'person', changed: '--- a/app/invoices.py\n+++ b/app/invoices.py\n@@ -1,2 +1,2 @@\n-what the patch had\n+what you left\n' }, Date.now());
      void play(s, proveChoice(s.info.patch_hash));
    },
    async sendBack(id, c) {
      const s = need(id);
      const said = [c.comment, ...c.notes.map((n) => `${n.path}:${n.line}: ${n.text}`)].filter(Boolean).join('\n');
      store(s, 'review.answered', { decision: 'reject', by: 'person', comment: said, images: keep(c.images), changed: c.drop.length + c.edits.length > 0 ? '-left out\n' : undefined }, Date.now());
      void play(s, again(s.info.steps + 1));
    },
    review: async (id) => JSON.parse(sessionStorage.getItem(`review ${id}`) ?? '{"patch_hash":""}') as Review,
    async saveReview(id, v) {
      sessionStorage.setItem(`review ${id}`, JSON.stringify(v));
    },
    async undo(id, redo) {
      const s = need(id);
      disk = new Map(files.map((f) => [f.path, redo ? f.after : f.before]));
      store(s, redo ? 'patch.applied' : 'patch.undone', { files: files.map((f) => f.path) }, Date.now());
      return { files: files.map((f) => f.path), redo };
    },
    async cancel(id) {
      const s = need(id);
      s.stop = true;
      s.goOn?.();
      s.asked?.();
      emit('phase', { session: id, text: '' });
      store(s, 'session.finished', { outcome: 'cancelled', patch: '', certificate: null, steps: s.info.steps, usd: 0, tokens: 4_100, applied: false, tried: ['searched “billing address”'] }, Date.now());
    },
    async pause(id, on) {
      const s = need(id);
      s.info = { ...s.info, paused: on };
      if (!on) s.goOn?.();
    },
    async say(id, text, images) {
      store(need(id), 'message', { text, images: keep(images) }, Date.now());
      need(id).asked?.();
    },
    picture: async (hash) => pictures.get(hash) ?? fail('not_found', `There is no picture ${hash}.`),
    takesImages: async (ref) => models.find((m) => `${m.provider}/${m.name}` === ref) ?? fail('not_found', `There is no model ${ref}. Choose one of the list.`),
    async editCriteria(id, criteria) {
      const items = criteria.map((text, i) => ({ id: `C${i + 1}`, text }));
      store(need(id), 'criteria.written', { step: need(id).info.steps, by: 'person', items }, Date.now());
    },
    resumeWith: async (id, model) => {
      const info = models.find((m) => `${m.provider}/${m.name}` === model);
      if (!info) return fail('not_found', `There is no model ${model}. Choose one of the list.`);
      store(need(id), 'model.chosen', { model: info, by: 'person' }, Date.now());
      play(need(id), again(need(id).info.steps + 1));
    },
    resume: async (id) => void play(need(id), again(need(id).info.steps + 1)),
    async answerAsk(id) {
      need(id).asked?.();
    },
    async search(_folder, query, n): Promise<Found> {
      await sleep(20);
      const symbol = /^symbol:\s*(.+)$/.exec(query)?.[1];
      if (symbol) return { hits: [], told: [`no definition of the folder is called "${symbol}"; "words: ${symbol}" looks for what speaks of it`] };
      const source = (files[0]?.before ?? '').split('\n');
      const first = query.toLowerCase().replaceAll('/', '').split(/\s+/)[0] ?? '';
      const hits = [...source.entries()].filter(([, l]) => /^(def|class) /.test(l)).map(([i]): Hit => {
        const end = source.findIndex((l, j) => j > i && l === '');
        const body = source.slice(i, end);
        const best = body.findIndex((l) => l.toLowerCase().includes(first));
        const symbol = /^(?:def|class) (\w+)/.exec(source[i] ?? '')?.[1] ?? '';
        return { path: 'app/invoices.py', start_line: i + 1, end_line: end, symbol, kind: source[i]?.startsWith('class') ? 'class' : 'function', score: best >= 0 ? 1 : 0, snippet: body.join('\n'), best_line: i + 1 + Math.max(0, best), why: best >= 0 ? [{ list: 'words', rank: 1, score: 0.0164 }, { list: 'keywords', rank: 1, score: 0 }, { list: 'vectors', rank: 3, score: 0 }] : [] };
      });
      return { hits: hits.filter((h) => h.score > 0).slice(0, n), told: query.startsWith('/') ? ['the first 200, there may be more; searched 3 of 40 files'] : [] };
    },
    async complete(_f, word) {
      const all = [...files.map((f) => ({ kind: 'file', name: '', path: f.path, line: 0 })), { kind: 'function', name: 'render_invoice', path: 'app/invoices.py', line: 47 }, { kind: 'class', name: 'Invoice', path: 'app/invoices.py', line: 32 }];
      return all.filter((m) => (m.name || m.path).toLowerCase().includes(word.toLowerCase()));
    },
    async saveSettings(s) {
      if (q.has('slowsave')) await sleep(600 / ++asked); // the first takes longest
      saves.push(s);
      settings = s;
      return s;
    },
    async saveKey() {
      fail('unavailable', 'There is no keyring on this machine. Set ANTHROPIC_API_KEY in the environment instead, then start Redgreen again.');
    },
    guides: async () => guides,
    async chooseGuides(_f, hash, use) {
      guides = { ...guides, seen: hash === guides.hash, off: !use };
      return guides;
    },
    async testCommands() {
      const found = [{ runner: 'pytest', dir: '', args: ['python3', '-m', 'pytest', '-q'], source: 'pyproject.toml' }];
      return { fixed, found, suggested: [{ runner: 'custom', dir: '', args: ['make', 'test'], source: 'AGENTS.md' }] };
    },
    async fixTestCommand(_f, args, dir) {
      if (dir.startsWith('nowhere')) fail('not_found', `There is no folder ${dir} in invoice-api; give one of it, or none.`);
      fixed = { args, dir };
    },
    imageList: async () => ({
      images: q.has('noimages') ? [] : [{ ref: 'localhost/redgreen/python:latest', id: 'ab12', size: 412e6, made: '2026-01-02T08:00:00Z' }], languages: [['python', 'python'], ['go', 'go'], ['node', 'javascript'], ['java', 'java'], ['cpp', 'c']].map(([name = '', f]) => ({ name, for: [f ?? name], image: null })),
      chosen: settings.images ?? { folders: {}, languages: {} }, problem: q.has('noimages') ? 'Podman is not installed' : '',
    }),
    async chooseImage(f, lang, ref) {
      const now = settings.images ?? { folders: {}, languages: {} };
      const put = (of: Record<string, string> | null, key: string) => Object.fromEntries(Object.entries({ ...of, [key]: ref }).filter(([, v]) => v));
      settings = { ...settings, images: f ? { ...now, folders: put(now.folders, f) } : { ...now, languages: put(now.languages, lang) } };
      return settings;
    },
    async allowNone(f, on) {
      settings = { ...settings, allow_none: on ? [f] : [] };
      return settings;
    },
    preparePlan: async (f) => ({ folder: f, hash: 'plan', steps: q.has('nolock') ? [] : [step] }),
    async prepare(f) {
      emit('prepare', { folder: f, text: 'Installing what requirements.txt names, with pip' });
      await sleep(1500);
      const refused = [{ host: 'telemetry.example.net', port: '443', reason: 'not on the list', times: 3 }];
      step = { ...step, ready: !q.has('badinstall') };
      emit('prepare', { folder: f, text: '' });
      return { folder: f, ok: step.ready, steps: [{ ...step, ok: step.ready, reason: step.ready ? '' : 'pip: no matching distribution for flask==9.9', log: 'Collecting flask==3.0.2\n…', refused, ms: 8400, runtime: { ...sandbox, version: '' } }] };
    },
    cancelPrepare: async () => undefined,
    toolchains: async () => [
      { name: 'toolchain: python', ok: true, detail: '/usr/bin/python3, 3.11.2, from the system; it has pytest 7.2.1' },
      { name: 'toolchain: node in web', ok: false, detail: '.nvmrc asks for 22; 20.19.2 of the system is taken instead', fix: 'install it with nvm: `nvm install 22`' },
    ],
    probePlan: async (ref) => ({ ref, calls: 20, most_calls: 36, tokens: 31_200, worst: 412_000, priced: !q.has('unpriced'), local: ref.startsWith('ollama/') }),
    async probe(ref) {
      const tell = async (form: string, of: number, miss: number) => {
        for (let n = 1; n <= of; n++) {
          await sleep(90);
          emit('probe', { ref, score: { form, passed: Math.max(0, n - miss), of: n } });
        }
      };
      await tell('native', 8, 0);
      for (const f of ['unified_diff', 'search_replace', 'old_new', 'whole_file']) await tell(f, 3, f === 'unified_diff' ? 2 : 0);
      const r: ProbeResult = {
        ref, tool_form: 'native', edit_form: 'search_replace', calls: 20, usage: { known: true, input: 17_000, output: 2100 }, micro_usd: 0, priced: true, ms: 41_000, time: new Date().toISOString(),
        tools: [{ form: 'native', passed: 8, of: 8 }], edits: [{ form: 'unified_diff', passed: 1, of: 3 }, { form: 'search_replace', passed: 3, of: 3 }, { form: 'old_new', passed: 3, of: 3 }, { form: 'whole_file', passed: 3, of: 3 }],
        misses: [{ form: 'unified_diff', case: 'two places', why: 'the second hunk has no line in common with the file' }, { form: 'unified_diff', case: 'tabs', why: 'the file is indented by tabs, the diff by spaces' }],
      };
      const before = settings.models?.[ref] ?? { form: '', edit_form: '', window: 0 };
      settings = { ...settings, models: { ...settings.models, [ref]: { ...before, form: r.tool_form, edit_form: r.edit_form, probe: r } } };
      return r;
    },
    cancelProbe: async () => undefined,
    async saveModel(ref, m) {
      settings = { ...settings, models: { ...settings.models, [ref]: m } };
      return settings;
    },
    async importSession(text) {
      if (!text.startsWith('{')) fail('invalid', 'importing a session: line 1 is no JSON object');
      past('Taken in from another tool', 'limit', 1, 'ollama/qwen3-coder', false);
      const s = need(`s${counter}`);
      s.info = { ...s.info, source: 'Codex 0.41', live: false };
      return s.info.id;
    },
    async sessionHits(id, query) {
      return need(id).info.task.toLowerCase().includes(query.toLowerCase()) ? [{ session: id, seq: 14, kind: 'tool.finished', snippet: `…def render_invoice(order): address = order.customer.«${query}» if address is None…` }] : [];
    },
    async renameSession(id, name) {
      need(id).info = { ...need(id).info, name };
    },
    async pinSession(id, on) {
      need(id).info = { ...need(id).info, pinned: on };
    },
    async deleteSession(id) {
      if (need(id).info.live) fail('conflict', 'this session is at work; stop it before you delete it');
      sessions.delete(id);
    },
    async forkSession(id, seq, text, images) {
      const from = need(id);
      const s = create({ folder, text: from.info.task, model: `${from.info.model.provider}/${from.info.model.name}`, limits, ask_edits: false, test_cmd: [] }, Date.now(), 'proven');
      for (const e of from.events.slice(0, seq)) store(s, e.kind, e.data as never, Date.parse(e.time));
      store(s, 'session.forked', { from: id, seq }, Date.now());
      if (text) store(s, 'message', { text, images: keep(images) }, Date.now());
      s.info = { ...s.info, parent: id, live: true };
      void play(s, work('proven'));
      return s.info.id;
    },
    async compareSessions(id, other) {
      need(other);
      const steps = need(id).events.filter((e) => e.kind === 'step.started').map((e, i) => ({ step: i + 1, seq: e.seq, said: '', acts: [{ tool: ['search_code', 'read_file', 'apply_patch', 'run_tests'][i % 4] ?? '', args: '{"query":"billing address"}', ok: true, summary: '6 places in 4 files' }], usage: { known: true, input: 900, output: 40 }, micro_usd: 0, priced: true, ms: 800 }));
      return steps.map((s, i) => (i === 2 ? { a: s, b: null, same: false } : i === 3 ? { a: s, b: { ...s, acts: [{ tool: 'apply_patch', args: '{"path":"app/orders.py"}', ok: false, summary: 'refused' }] }, same: false } : { a: s, b: s, same: true }));
    },
    async why(id) {
      const e = need(id).events.findLast((x) => x.kind === 'patch.changed');
      if (!e || e.kind !== 'patch.changed') return fail('not_found', 'the patch of this session does not change that line');
      return { seq: e.seq, step: e.data.step, said: '' };
    },
    async bills(by) {
      if (blank) return [];
      const row = (x: Partial<Bill>): Bill => ({ day: '', model: '', folder: '', local: false, sessions: 1, fixes: 0, steps: 7, usage: { known: true, input: 18_000, cache_read: 120_000, output: 4200 }, micro_usd: 0, unpriced: 0, ms: 61_000, per_fix: null, tokens_per_sec: 0, ...x });
      const days = [{ day: '2026-01-04', sessions: 5, fixes: 3, micro_usd: 412_300, per_fix: 137_434 }, { day: '2026-01-03', sessions: 2, micro_usd: 90_120, unpriced: 1 }, { day: '2026-01-02', sessions: 3, fixes: 2, local: true, tokens_per_sec: 38, ms: 410_000 }];
      const by2 = [{ model: 'anthropic/claude-sonnet-4-5', sessions: 6, fixes: 3, micro_usd: 502_420, per_fix: 167_474 }, { model: 'openai/gpt-oss-next', sessions: 1, unpriced: 1 }, { model: 'ollama/qwen3-coder', sessions: 3, fixes: 2, local: true, tokens_per_sec: 38, ms: 410_000 }];
      return by === 'day' ? days.map(row) : by === 'model' ? by2.map(row) : [row({ folder, sessions: 10, fixes: 5, micro_usd: 502_420, unpriced: 1 })];
    },
    async notify() {
      fail('unavailable', 'a browser shows its own notifications');
    },
    async openInEditor(_f, path) {
      fail('unavailable', `No editor is set, so ${path} was not opened. Name one in the settings, such as “code -g”.`);
    },
    on(topic, cb) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(cb as (p: never) => void));
      return () => set.delete(cb as (p: never) => void);
    },
  };
  const flood = (id: string, step: number, n: number) => emit('deltas', Array.from({ length: n }, (_, i) => ({ session: id, step, text: i % 9 ? 'word ' : 'line\n' })));
  Object.assign(window, { fakeFlood: flood, fakeDisk: () => Object.fromEntries(disk), fakeSaved: () => saves, go: { app: { App: { Boot: backend.boot } } } });
  return backend;
}
