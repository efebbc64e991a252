// Chromium as the distribution ships it; no browser is downloaded.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** slow is how long a wait may take, in ms: the machines of CI are shared. */
export const slow = 60_000;

/** launch starts a headless Chromium with nothing that reaches out by itself. */
export async function launch(env = {}) {
  const executablePath = places.find((p) => p && existsSync(p));
  if (!executablePath) throw new Error('Chromium is not installed; install the package "chromium", or name one in CHROMIUM.');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    env: { ...process.env, ...env },
  });
}

/** open gives a page that remembers every error of its scripts; check asserts that there was none. options.throttle, or THROTTLE=8, slows the page so many times, as a busy machine does; DELAY=2000 has the program answer up to so many ms later, each time another. */
export async function open(context, url, options = {}) {
  const page = await context.newPage();
  page.setDefaultTimeout(slow);
  const errors = [];
  page.on('pageerror', (e) => errors.push(e.message));
  page.on('console', (m) => m.type() === 'error' && !(options.allow ?? /status of 4\d\d/).test(m.text()) && errors.push(m.text()));
  const rate = Number(process.env.THROTTLE) || (options.throttle ?? 1);
  if (rate > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate });
  if (process.env.DELAY) {
    await page.route('**/api/call/*', async (route) => {
      await new Promise((r) => setTimeout(r, Math.random() * Number(process.env.DELAY)));
      await route.continue().catch(() => {}); // the page may be closed
    });
  }
  await page.goto(url);
  const check = () => assert.deepEqual(errors, [], 'errors in the page');
  return { page, check };
}

/** soon holds an assertion about the page until it is true: what a click does is seen a moment later. After most ms it throws what it threw last. */
export async function soon(assertion, most = 30_000) {
  for (const until = Date.now() + most; ; await new Promise((r) => setTimeout(r, 50))) {
    try {
      return await assertion();
    } catch (e) {
      if (Date.now() > until) throw e;
    }
  }
}

/** picture keeps a screenshot of a failure, for the person who reads the log. */
export async function picture(page, name) {
  mkdirSync('test-results', { recursive: true });
  await page.screenshot({ path: `test-results/${name}.png` }).catch(() => {});
}
