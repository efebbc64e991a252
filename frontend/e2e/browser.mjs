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

/** open gives a page that remembers every error of its scripts; check asserts that there was none. */
export async function open(context, url, options = {}) {
  const page = await context.newPage();
  page.setDefaultTimeout(slow);
  const errors = [];
  page.on('pageerror', (e) => errors.push(e.message));
  page.on('console', (m) => m.type() === 'error' && !(options.allow ?? /status of 4\d\d/).test(m.text()) && errors.push(m.text()));
  await page.goto(url);
  const check = () => assert.deepEqual(errors, [], 'errors in the page');
  return { page, check };
}

/** picture keeps a screenshot of a failure, for the person who reads the log. */
export async function picture(page, name) {
  mkdirSync('test-results', { recursive: true });
  await page.screenshot({ path: `test-results/${name}.png` }).catch(() => {});
}
