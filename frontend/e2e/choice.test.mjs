// What a person makes of a patch before it is written: parts left out, comments, edits in place, and their own proof.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, picture, soon } from './browser.mjs';
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

function scene(name, query, run) {
  test(name, { timeout: 180_000 }, async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const { page, check } = await open(context, `${server.url}?fake&speed=1000&${query}`);
    try {
      await page.getByTestId('open-sample').click();
      await page.getByTestId('start-task').click();
      await page.getByTestId('write').waitFor();
      await page.getByTestId('hunk-tick').first().waitFor();
      await run(page);
      check();
    } catch (e) {
      await picture(page, name.replaceAll(/\W+/g, '-'));
      throw e;
    } finally {
      await context.close();
    }
  });
}

scene('a part of the patch is proven itself before it can be written', 'scene=hunks', async (page) => {
  await page.getByTestId('hunk-tick').first().uncheck();
  await page.getByTestId('prove-choice').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('write').count(), 0));
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Your choice is not proven'));
  await soon(async () => assert.match(await page.getByTestId('chosen').innerText(), /^3 of 4 changes/));
  await page.locator('.cm-merge-b .cm-left-out').first().waitFor();
  await page.getByTestId('prove-choice').click();
  await page.getByTestId('changed-item').waitFor();
  await page.getByTestId('write').waitFor();
  await page.getByTestId('hunk-tick').nth(1).waitFor();
  await soon(async () => assert.equal(await page.locator('[data-path="app/invoices.py"] + * [data-testid="hunk-tick"]').count(), 2));
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Proven'));
  await page.getByTestId('write').click();
  await page.getByTestId('undo').waitFor();
});

scene('an edit in place is the person’s own, is kept, and can be taken back', '', async (page) => {
  await page.getByTestId('hunk-edit').first().click();
  await page.getByTestId('edit-in-place').waitFor();
  await page.waitForTimeout(200); // the cursor is put on the line
  await page.keyboard.press('End');
  await page.keyboard.type('  # mine');
  await page.getByTestId('prove-choice').waitFor();
  await page.getByTestId('edit-done').click();
  await page.getByTestId('edited-by-you').waitFor();
  await page.waitForTimeout(500); // until it is kept
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('session-row').first().click();
  await page.getByTestId('edited-by-you').waitFor();
  await page.locator('.cm-merge-b').getByText('# mine').first().waitFor();
  await page.getByTestId('edit-back').click();
  await page.getByTestId('write').waitFor();
});

scene('by key: leave out, comment, blanks, viewed; the comments go back to the model', 'scene=hunks', async (page) => {
  await page.keyboard.press('n');
  await page.keyboard.press('x');
  await page.getByTestId('prove-choice').waitFor();
  await page.keyboard.press('x');
  await page.getByTestId('write').waitFor();
  await page.keyboard.press('n');
  await page.keyboard.press('c');
  await page.getByTestId('hunk-note').fill('why not an error?');
  await page.keyboard.press('Enter');
  await page.keyboard.press('b');
  await page.getByTestId('hunk-tick').nth(2).waitFor();
  await soon(async () => assert.equal(await page.locator('.cm-merge-b .cm-changedLine').filter({ hasText: 'render_list' }).count(), 0));
  await page.keyboard.press('v');
  await soon(async () => assert.equal(await page.getByTestId('viewed').first().getAttribute('aria-pressed'), 'true'));
  await page.keyboard.press('r');
  await soon(async () => assert.match(await page.getByTestId('goes-along').innerText(), /1 comment/));
  await page.getByTestId('reject-send').click();
  await page.getByText(/app\/invoices\.py:50: why not an error\?/).first().waitFor();
});

scene('left out, what a change removes fades in both layouts', 'scene=hunks', async (page) => {
  const faded = (of) => page.locator(of).evaluateAll((all) => all.map((e) => Number(getComputedStyle(e).opacity)));
  await page.keyboard.press('n');
  await page.keyboard.press('x');
  await page.getByTestId('prove-choice').waitFor();
  const first = '[data-path="app/invoices.py"] + *';
  await soon(async () => assert.equal((await faded(`${first} .cm-merge-a .cm-changedLine`)).filter((o) => o < 1).length, 1));
  await page.keyboard.press('d');
  await page.locator(`${first} .cm-deletedChunk.cm-left-out`).waitFor();
  await soon(async () => {
    const removed = await faded(`${first} .cm-deletedChunk`);
    assert.ok(removed[0] < 1 && removed.slice(1).every((o) => o === 1), `opacities ${removed}`);
  });
  await page.getByTestId('hunk-tick').first().check();
  await page.getByTestId('write').waitFor();
  await page.locator(`${first} .cm-deletedChunk.cm-left-out`).waitFor({ state: 'detached' });
});
