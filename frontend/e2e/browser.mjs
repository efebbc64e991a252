// Chromium as the distribution ships it; no browser is downloaded.

import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** launch starts a headless Chromium with nothing that reaches out by itself. */
export async function launch() {
  const executablePath = places.find((p) => p && existsSync(p));
  if (!executablePath) throw new Error('Chromium is not installed; install the package "chromium", or name one in CHROMIUM.');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}
