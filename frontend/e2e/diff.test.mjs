// The two sides of a diff: lines that stand beside each other belong to each other, wherever one goes.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, picture } from './browser.mjs';
import { memory } from './serve.mjs';

let server, browser;

before(async () => {
  server = await memory();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** apart runs in the page: it waits until the unchanged lines in sight have stood beside each other for ten frames, and else tells after half a minute
 * which do not. Each line's text is its own. */
async function apart(path) {
  const box = document.querySelector('[data-testid="diff"]').getBoundingClientRect();
  const lines = (side) => {
    const all = [...document.querySelectorAll(`[data-path="${path}"] + * .cm-merge-${side} .cm-line:not(.cm-changedLine)`)].map((l) => [l.textContent, l.getBoundingClientRect()]);
    return new Map(all.filter(([text, r]) => text.trim() && r.bottom > box.top && r.top < box.bottom).map(([text, r]) => [text, r.top]));
  };
  let wrong = ['not looked'];
  for (let [good, end] = [0, performance.now() + 30_000]; good < 10 && performance.now() < end; await new Promise(requestAnimationFrame)) {
    const [a, b] = [lines('a'), lines('b')];
    const pairs = [...a].filter(([text]) => b.has(text));
    wrong = pairs.filter(([text, top]) => Math.abs(b.get(text) - top) > 1).map(([text, top]) => `${text}: ${b.get(text) - top} px`);
    if (pairs.length < 3) wrong.push(`only ${pairs.length} unchanged lines in sight`);
    good = wrong.length === 0 ? good + 1 : 0;
    if (good === 10) return [];
  }
  return wrong.length > 0 ? wrong : ['they do not come to rest'];
}

async function longDiff(query, path, throttle, run) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const { page, check } = await open(context, `${server.url}?fake&speed=1000&${query}`, { throttle });
  try {
    await page.getByTestId('open-sample').click();
    await page.getByTestId('start-task').click();
    await page.getByTestId('write').waitFor();
    await page.getByTestId('file-tab').nth(2).click();
    await page.locator(`[data-path="${path}"] + * .cm-merge-b .cm-changedLine`).first().waitFor();
    const level = async (when) => assert.deepEqual(await page.evaluate(apart, path), [], when);
    await run(page, level, page.locator(`[data-path="${path}"]`));
    check();
  } catch (e) {
    await picture(page, `level-${query}-${throttle}`);
    throw e;
  } finally {
    await context.close();
  }
}

const files = { big: 'src/generated/table.ts', uneven: 'src/generated/uneven.ts' };

for (const [scene, throttle] of [['big', 4], ['uneven', 1]])
  test(`both sides of ${files[scene]} stay beside each other, ${throttle === 1 ? 'quick' : 'on a slow machine'}`, { timeout: 300_000 }, () =>
    longDiff(`scene=${scene}`, files[scene], throttle, async (page, level, head) => {
      for (const whole of [false, true]) {
        if (whole) await head.getByRole('button', { name: 'Whole file' }).click();
        for (const by of [...Array(6).fill(700), 9000, ...Array(4).fill(-400), 30000, -25000]) {
          await page.evaluate((n) => (document.querySelector('[data-testid="diff"]').scrollTop += n), by);
          await level(`after ${by} px, ${whole ? 'whole' : 'folded'}`);
        }
      }
    }));

test('they do so after each act on a change, and while the text is edited', { timeout: 300_000 }, () =>
  longDiff('scene=uneven', files.uneven, 1, async (page, level, head) => {
    const keys = async (...all) => {
      for (const k of all) await page.keyboard.press(k);
      await level(`after ${all.join(' ')}`);
    };
    await keys(...Array(40).fill('n'));
    await keys('p', 'p', 'p');
    await keys('c');
    await page.getByTestId('hunk-note').waitFor();
    await level('with a comment being written');
    await page.keyboard.type('why?');
    await keys('Enter');
    await keys('x');
    await keys('x');
    await page.locator(`[data-path="${files.uneven}"] + * .cm-collapsedLines`).nth(4).click();
    await level('unfolded');
    await page.setViewportSize({ width: 1380, height: 900 });
    await level('in a smaller window');
    await head.getByRole('button', { name: 'Whole file' }).click();
    await keys('n', 'n');
    await keys('e');
    await page.getByTestId('edit-in-place').waitFor();
    await page.locator('.cm-focused.cm-writing').waitFor();
    await page.keyboard.type('one\ntwo\nthree\n');
    await level('with new lines');
    await keys(...Array(5).fill('Control+z'));
    await keys(...Array(30).fill('PageUp'));
    await keys('Control+End');
  }));
