// The page under test, one of three:
//   BASE_URL      an address of `redgreen serve` that runs already (its token works once)
//   REDGREEN_BIN  the program; it is started here with a data folder of its own and ended afterwards
//   neither       the page alone with its in-memory backend, built for development into a temporary folder

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** start gives the address, whether the backend is the in-memory one, and a function that ends what was started. */
export async function start() {
  if (process.env.BASE_URL) return { url: process.env.BASE_URL, fake: false, stop: async () => {} };
  if (process.env.REDGREEN_BIN) return program(process.env.REDGREEN_BIN);
  return memory();
}

async function program(bin) {
  const home = mkdtempSync(join(tmpdir(), 'redgreen-e2e-'));
  const child = spawn(bin, ['serve', '--port', '0', '--sample'], { env: { ...process.env, REDGREEN_HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  const url = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`redgreen serve printed no address in 60 s:\n${said.join('\n')}`)), 60_000);
    const read = (line) => {
      said.push(line);
      const hit = /http:\/\/\S+token=\S+/.exec(line);
      if (!hit) return;
      clearTimeout(late);
      resolve(hit[0]);
    };
    createInterface({ input: child.stdout }).on('line', read);
    createInterface({ input: child.stderr }).on('line', read);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`redgreen serve ended with ${code}:\n${said.join('\n')}`)));
  });
  const stop = async () => {
    const ended = new Promise((r) => child.once('exit', r));
    child.kill('SIGINT');
    await Promise.race([ended, new Promise((r) => setTimeout(r, 15_000).unref())]);
    if (child.exitCode === null) child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  };
  return { url, fake: false, stop, said, home };
}

/** memory serves the page with the in-memory backend. */
export async function memory() {
  process.env.NODE_ENV = 'development'; // the in-memory backend is left out of production builds
  const { build, preview } = await import('vite');
  const outDir = mkdtempSync(join(tmpdir(), 'redgreen-page-'));
  await build({ root, logLevel: 'error', mode: 'development', build: { outDir, emptyOutDir: true, minify: false } });
  const server = await preview({ root, logLevel: 'error', build: { outDir }, preview: { host: '127.0.0.1', port: 0, strictPort: false } });
  const { port } = server.httpServer.address();
  const stop = async () => {
    await server.close();
    rmSync(outDir, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}/`, fake: true, stop };
}
