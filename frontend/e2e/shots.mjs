// Screenshots of every view from the in-memory backend, in both themes and three sizes: node e2e/shots.mjs OUT [NAME…]
// LOCALE=pseudo shows the lengthened texts.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './browser.mjs';
import { scenes } from './scenes.mjs';
import { memory } from './serve.mjs';

const sizes = { wide: [1600, 1000], middle: [1280, 800], small: [900, 600], narrow: [480, 800] };
const out = process.argv[2] ?? 'test-results/shots';
const only = process.argv.slice(3);
mkdirSync(out, { recursive: true });

const server = await memory();
const browser = await launch();
try {
  for (const [name, s] of Object.entries(scenes)) {
    if (only.length > 0 && !only.includes(name)) continue;
    for (const theme of (process.env.THEMES ?? 'light,dark').split(',')) {
      for (const size of (process.env.SIZES ?? Object.keys(sizes).join(',')).split(',')) {
        const [width, height] = sizes[size];
        const page = await browser.newPage({ viewport: { width, height } });
        page.on('pageerror', (e) => console.error(`${name} ${theme} ${size}:`, e.message));
        page.on('console', (m) => m.type() === 'error' && console.error(`${name} ${theme} ${size}:`, m.text()));
        await page.goto(`${server.url}?fake&theme=${theme}${s.query}${process.env.LOCALE ? `&locale=${process.env.LOCALE}` : ''}`);
        await page.getByTestId('start').waitFor();
        await s.go(page).catch((e) => console.error(`${name} ${theme} ${size}: ${e.message.split('\n')[0]}`));
        await page.waitForTimeout(250);
        await page.screenshot({ path: join(out, `${name}-${theme}-${size}.png`) });
        await page.close();
      }
    }
  }
} finally {
  await browser.close();
  await server.stop();
}
