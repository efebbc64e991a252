// Accessibility of every view, light and dark, by axe: names, roles, order of headings, contrast of AA.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { launch, open, soon } from './browser.mjs';
import { scenes } from './scenes.mjs';
import { memory } from './serve.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let server, browser;

before(async () => {
  server = await memory();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const review = async (p) => {
  await p.getByTestId('open-sample').click();
  await p.getByTestId('start-task').click();
  await p.getByTestId('write').waitFor();
  await p.locator('.cm-merge-b .cm-changedLine').first().waitFor();
};

const views = {
  start: ['', async (p) => p.getByTestId('session-row').first().waitFor()],
  first: ['blank', async () => {}],
  compose: ['', async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('index-state').getByText('ready').waitFor(); }],
  models: ['', async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('model-picker').click(); }],
  tests: ['', async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('test-command').click(); }],
  attached: ['', scenes.attached.go],
  unattached: ['', scenes.unattached.go],
  shown: ['speed=20', scenes.shown.go],
  proven: ['speed=1000', review],
  opened: ['speed=1000', async (p) => { await review(p); await p.locator('[data-tool="run_tests"] summary').first().click(); await p.getByTestId('test-table').locator('summary').click(); }],
  'not proven': ['speed=1000&scene=not_proven', review],
  confirm: ['speed=1000&scene=not_proven', async (p) => { await review(p); await p.getByTestId('write').click(); }],
  reject: ['speed=1000', async (p) => { await review(p); await p.getByTestId('reject').click(); }],
  stale: ['speed=1000&scene=stale', review],
  limit: ['speed=1000&scene=limit', async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('start-task').click(); await p.getByTestId('outcome-note').waitFor(); }],
  sessions: ['', async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').first().waitFor(); }],
  replay: ['', async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').nth(2).click(); await p.getByTestId('replay-begin').click(); await p.getByTestId('replay-toggle').click(); await p.getByTestId('replay-place').fill('24'); await p.locator('.cm-changedLine, .cm-insertedLine').first().waitFor(); }],
  settings: ['', async (p) => p.getByTestId('nav-settings').click()],
  forms: ['', async (p) => { await p.getByTestId('nav-settings').click(); await p.getByTestId('provider-openai').locator('summary').click(); await p.getByTestId('probe-open').click(); await p.getByTestId('probe-plan').waitFor(); }],
  spending: ['', async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('sessions-part').getByText('Spending').click(); await p.getByTestId('bills').waitFor(); }],
  doctor: ['', async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('start-task').waitFor(); await p.getByTestId('sandbox-badge').click(); await p.getByTestId('toolchains').locator('li').first().waitFor(); await p.getByTestId('check').first().waitFor(); }],
  search: ['', async (p) => { await p.getByTestId('open-sample').click(); await p.keyboard.press('Control+k'); await p.getByTestId('search-input').fill('city'); await p.getByTestId('search-hit').first().waitFor(); }],
  help: ['', async (p) => p.keyboard.press('?')],
  'drop offer': ['window', scenes.dropoffer.go],
};

for (const theme of ['light', 'dark']) {
  for (const [name, [query, go]] of Object.entries(views)) {
    test(`${name}, ${theme}`, { timeout: 120_000 }, async () => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
      try {
        const { page } = await open(context, `${server.url}?fake&theme=${theme}&${query}`);
        await page.getByTestId('start').waitFor();
        await go(page);
        await page.waitForTimeout(150);
        await page.evaluate(axe);
        await soon(async () => {
          const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
          const told = violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.failureSummary?.split('\n')[1]?.trim() ?? ''}`).join(' | ')}`);
          assert.deepEqual(told, []);
        }, 10_000);
      } finally {
        await context.close();
      }
    });
  }
}
