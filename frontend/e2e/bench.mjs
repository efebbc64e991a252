// How quick the window is: node e2e/bench.mjs [chromium] [webkit], or make bench. The page as it is built for people, with the
// in-memory backend, in Chromium and in WebKitGTK as the desktop window has it (its MiniBrowser, under Xvfb), each row on a fresh
// page. TIMES=5 takes the medians of five. Beside the time on the wall, which a busy machine makes longer, stands the processor's time
// of the page's process.

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview } from 'vite';
import { launch } from './browser.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const times = Number(process.env.TIMES) || 3;
const patience = 180_000;
const mini = ['x86_64', 'aarch64'].map((a) => `/usr/lib/${a}-linux-gnu/webkit2gtk-4.1/MiniBrowser`).find((p) => existsSync(p));

const rows = [
  { what: 'first paint of the window', query: 'bench=paint', say: (r) => `${r.ms.toFixed(0)} ms` },
  { what: 'a session of 10,000 events, from click to its end', query: 'bench=session&long=2500', say: (r) => `${r.ms.toFixed(0)} ms, ${r.cpu} ms of CPU, ${r.nodes} nodes` },
  { what: 'a diff of 10,000 lines with 200 hunks opens', query: 'bench=diff&speed=1000&scene=big', say: (r) => `${r.ms.toFixed(0)} ms, at the least ${r.least.toFixed(0)} ms, ${r.cpu} ms of CPU` },
  { what: 'that diff scrolls for 4 s', query: 'bench=scroll&speed=1000&scene=big', say: film },
  { what: 'the same with nothing folded', query: 'bench=scroll&whole&speed=1000&scene=big', say: film },
  { what: 'plain text of 20,000 lines scrolls for 4 s, to compare', query: 'bench=plain', say: film },
  { what: 'nothing scrolls for 4 s, to compare', query: 'bench=plain&empty', say: film },
  { what: '1,000 deltas a second stream in for 4 s', query: 'bench=deltas&speed=0.05', say: film },
];

function film(r) {
  return `${r.dropped} dropped of ${r.frames + r.dropped} frames, longest gap ${r.longest.toFixed(0)} ms, ${(r.cpu / r.frames).toFixed(1)} ms of CPU a frame`;
}

/** cpu is the processor's time of the processes that hold pages, in ms by their number: descendants of this one. */
function cpu() {
  const all = new Map();
  for (const pid of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const f = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // from the third field on
      all.set(Number(pid), { parent: Number(f[1]), ms: (Number(f[11]) + Number(f[12])) * 10, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') });
    } catch {
      // it ended meanwhile
    }
  }
  const ours = (pid) => pid === process.pid || (all.has(pid) && ours(all.get(pid).parent));
  return new Map([...all].filter(([pid, p]) => /--type=renderer|WebKitWebProcess/.test(p.command) && ours(pid)).map(([pid, p]) => [pid, p.ms]));
}

/** page builds the page with the in-memory backend and what measures it, and serves it. */
async function page() {
  const outDir = mkdtempSync(join(tmpdir(), 'redgreen-bench-'));
  await build({ root, logLevel: 'error', define: { 'import.meta.env.DEV': 'true' }, build: { outDir, emptyOutDir: true } });
  writeFileSync(join(outDir, 'bench-page.js'), readFileSync(new URL('bench-page.js', import.meta.url)));
  const html = readFileSync(join(outDir, 'index.html'), 'utf8');
  writeFileSync(join(outDir, 'index.html'), html.replace('</body>', '<script type="module" src="./bench-page.js"></script></body>'));
  const server = await preview({ root, logLevel: 'error', build: { outDir }, preview: { host: '127.0.0.1', port: 0, strictPort: false } });
  const stop = async () => {
    await server.close();
    rmSync(outDir, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${server.httpServer.address().port}/`, stop };
}

/** reports takes what pages tell, one at a time. */
async function reports() {
  let take = () => {};
  let before = new Map();
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (d) => (text += d));
    req.on('end', () => {
      const told = JSON.parse(text);
      if (told.mark) before = cpu();
      else take({ ...told, cpu: [...cpu()].reduce((n, [pid, ms]) => n + ms - (before.get(pid) ?? ms), 0) });
      res.end();
    });
  });
  await new Promise((r) => server.listen(0, '127.0.0.1', r));
  const next = () => new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`nothing was told in ${patience / 1000} s`)), patience);
    take = (told) => {
      clearTimeout(late);
      if (told.error) reject(new Error(told.error));
      else resolve(told);
    };
  });
  return { url: `http://127.0.0.1:${server.address().port}/`, next, stop: () => server.close() };
}

async function chromium() {
  const browser = await launch();
  return {
    name: `Chromium ${browser.version()}`,
    async visit(url, told) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
      const p = await context.newPage();
      await p.goto(url);
      return told.finally(() => context.close());
    },
    stop: () => browser.close(),
  };
}

async function webkit() {
  if (!mini) throw new Error('WebKitGTK has no MiniBrowser here');
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp', '-noreset'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const number = await new Promise((resolve, reject) => {
    screen.stdio[3].once('data', (d) => resolve(String(d).trim()));
    screen.once('error', () => reject(new Error('Xvfb is not installed')));
  });
  const env = { ...process.env, DISPLAY: `:${number}`, LANG: 'en_US.UTF-8', WEBKIT_DISABLE_DMABUF_RENDERER: '1' };
  return {
    name: `WebKitGTK's MiniBrowser`,
    async visit(url, told) {
      const child = spawn(mini, ['--geometry=1440x900', '--private', url], { env, stdio: 'ignore' });
      return told.finally(async () => {
        const ended = new Promise((r) => child.once('exit', r));
        child.kill();
        await ended;
      });
    },
    stop: async () => screen.kill(),
  };
}

/** middle takes the median of each figure. */
function middle(all) {
  return Object.fromEntries(Object.keys(all[0]).map((k) => [k, all.map((r) => r[k]).sort((a, b) => a - b)[Math.floor(all.length / 2)]]));
}

const wanted = process.argv.slice(2);
const [served, told] = [await page(), await reports()];
try {
  for (const [id, start] of Object.entries({ chromium, webkit })) {
    if (wanted.length > 0 && !wanted.includes(id)) continue;
    let engine;
    try {
      engine = await start();
    } catch (e) {
      console.log(`${id}: left out, ${e.message.split('\n')[0]}`);
      continue;
    }
    console.log(`${engine.name}, medians of ${times}, load ${loadavg()[0].toFixed(1)}`);
    try {
      for (const row of rows) {
        const all = [];
        for (let i = 0; i < times; i++) all.push(await engine.visit(`${served.url}?fake&theme=light&${row.query}&report=${encodeURIComponent(told.url)}`, told.next()));
        console.log(`  ${row.what.padEnd(56)} ${row.say(middle(all))}`);
      }
    } finally {
      await engine.stop();
    }
  }
} finally {
  told.stop();
  await served.stop();
}
