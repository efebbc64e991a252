// How quick the page is, with the in-memory backend in Chromium: node e2e/bench.mjs

import { launch, open } from './browser.mjs';
import { memory } from './serve.mjs';

const server = await memory();
const browser = await launch();
const say = (what, ms) => console.log(`${what.padEnd(58)} ${typeof ms === 'number' ? `${ms.toFixed(0)} ms` : ms}`);

async function page(query) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  return (await open(context, `${server.url}?fake&${query}`)).page;
}

try {
  {
    const p = await page('');
    await p.getByTestId('start').waitFor();
    say('first paint of the start view', await p.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN));
  }
  {
    const p = await page('long=2500');
    await p.getByTestId('session-row').filter({ hasText: 'events' }).waitFor();
    const ms = await p.evaluate(async () => {
      const row = [...document.querySelectorAll('[data-testid="session-row"]')].find((r) => r.textContent.includes('events'));
      const begun = performance.now();
      row.click();
      while (!document.querySelector('[data-testid="end-item"]')) await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return performance.now() - begun;
    });
    say('a session of 10,000 events, from click to its end in sight', ms);
    say('  nodes in the page', `${await p.evaluate(() => document.querySelectorAll('*').length)}`);
  }
  {
    const p = await page('speed=1000&scene=big');
    await p.getByTestId('open-sample').click();
    await p.getByTestId('start-task').click();
    await p.getByTestId('write').waitFor();
    await p.locator('[data-path="app/invoices.py"] + * .cm-line').first().waitFor();
    const ms = await p.evaluate(async () => {
      const big = () => document.querySelector('[data-path="src/generated/table.ts"]')?.nextElementSibling;
      const toggle = document.querySelector('[data-testid="diff-layout"]');
      document.querySelectorAll('[data-testid="file-tab"]')[2].click();
      while (!big()?.querySelector('.cm-changedLine')) await new Promise(requestAnimationFrame);
      toggle.click(); // unified, then side by side again: the code is loaded, so only the work of the diff is measured
      while (big()?.querySelector('.cm-merge-a')) await new Promise(requestAnimationFrame);
      const begun = performance.now();
      toggle.click();
      while (!big()?.querySelector('.cm-merge-a .cm-changedLine')) await new Promise(requestAnimationFrame);
      return performance.now() - begun;
    });
    say('a diff of 10,000 lines with 200 changes, three files in all', ms);
  }
  {
    const p = await page('speed=0.05');
    await p.getByTestId('open-sample').click();
    await p.getByTestId('start-task').click();
    await p.getByTestId('task-bubble').waitFor();
    const r = await p.evaluate(async () => {
      const id = decodeURIComponent(location.hash.replace('#/session/', ''));
      let longest = 0;
      let frames = 0;
      let last = performance.now();
      const until = last + 4000;
      const timer = setInterval(() => window.fakeFlood(id, 1, 30), 30); // a thousand a second
      while (performance.now() < until) {
        await new Promise(requestAnimationFrame);
        const now = performance.now();
        longest = Math.max(longest, now - last);
        last = now;
        frames++;
      }
      clearInterval(timer);
      return { frames, longest };
    });
    say('1,000 deltas a second for 4 s: frames, longest gap', `${r.frames} of 240, ${r.longest.toFixed(0)} ms`);
  }
} finally {
  await browser.close();
  await server.stop();
}
