// The main job in the window: open the sample, describe, watch, read the diff, approve, see the file changed on disk,
// reopen the session, undo. Against the real program where REDGREEN_BIN or BASE_URL names it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, open, picture, soon } from './browser.mjs';
import { start } from './serve.mjs';

let server, browser, context, base;

before(async () => {
  server = await start();
  browser = await launch();
  context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  base = server.fake ? `${server.url}?fake&speed=6` : server.url;
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** story runs one test on a page of its own and keeps a picture when it fails. The token works once: later pages use the bare address. */
function story(name, run) {
  test(name, { timeout: 300_000 }, async () => {
    const { page, check } = await open(context, base);
    if (!server.fake) base = new URL('.', base).href;
    try {
      await run(page);
      check();
    } catch (e) {
      await picture(page, name.replaceAll(/\W+/g, '-'));
      throw e;
    } finally {
      await page.close();
    }
  });
}

/** opened waits for the folder that the program opens by itself: what is done before would be overtaken by it. */
async function opened(page) {
  await (server.fake ? page.getByTestId('start') : page.getByTestId('compose').or(page.getByTestId('review'))).first().waitFor();
}

/** disk reads the sample's files as they are now. */
async function disk(page, paths) {
  if (server.fake) {
    const all = await page.evaluate(() => window.fakeDisk());
    return Object.fromEntries(paths.map((p) => [p, all[p]]));
  }
  const root = await page.evaluate(async () => (await window.go.app.App.Boot()).sample.path);
  return Object.fromEntries(paths.map((p) => [p, readFileSync(join(root, p), 'utf8')]));
}

/** toCompose leads to the composer of the sample: the program may open it by itself. */
async function toCompose(page) {
  await page.getByTestId('start').or(page.getByTestId('compose')).or(page.getByTestId('review')).first().waitFor();
  await page.getByTestId('home').click();
  await page.getByTestId('open-sample').click();
  await page.getByTestId('compose').waitFor();
}

async function chooseRecorded(page) {
  if (server.fake) return;
  await page.getByTestId('model-picker').click();
  await page.locator('[data-testid="model-choice"][data-ref^="script/"]').click();
}

async function toReview(page) {
  await toCompose(page);
  await soon(async () => assert.notEqual(await page.getByTestId('task-text').inputValue(), '', 'the sample brings its task'));
  await chooseRecorded(page);
  await page.getByTestId('start-task').click();
  await page.getByTestId('write').waitFor({ timeout: 240_000 });
}

let session = '';
let changed = [];

story('open, describe, watch, read, approve, reopen, undo', async (page) => {
  await toCompose(page);
  await chooseRecorded(page);
  if (!server.fake) await soon(async () => assert.match(await page.getByTestId('model-name').innerText(), /recorded model/));
  await page.evaluate(() => {
    document.hasFocus = () => false;
    window.told = [];
    window.Notification = class {
      static permission = 'granted';
      constructor(title, { body, tag }) {
        window.told.push({ title, body, tag });
      }
    };
  });
  await page.getByTestId('start-task').click();

  // watch
  await page.getByTestId('task-bubble').waitFor();
  await page.getByTestId('sandbox-badge').waitFor();
  await page.locator('[data-testid="call"][data-tool="search_code"]').first().waitFor();
  await page.locator('[data-testid="call"][data-tool="run_tests"]').first().waitFor();
  if (!server.fake) await soon(async () => assert.match(await page.getByTestId('model-badge').innerText(), /recorded model/));

  // the proof and the diff
  await page.getByTestId('write').waitFor({ timeout: 240_000 });
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Proven'));
  await soon(async () => assert.match(await page.getByTestId('counts').innerText(), /^[1-9]\d*\s+red → green\s+\d+\s+still green\s+0\s+broken/));
  await page.locator('.cm-merge-b .cm-changedLine').first().waitFor();
  await soon(async () => assert.match(await page.locator('.cm-merge-b .cm-changedLine').first().evaluate((e) => getComputedStyle(e, '::after').content), /\+/, 'plus is text'));
  const tabs = await page.getByTestId('file-tab').locator('.mono').allInnerTexts();
  changed = tabs;
  const before = await disk(page, tabs);

  // a person who looks elsewhere is told, with no more than the folder's name and counts
  await page.waitForFunction(() => window.told.length > 0);
  const told = await page.evaluate(() => window.told);
  assert.equal(told.length, 1);
  assert.match(told[0].title, /^Proven — [\w-]+$/);
  assert.match(told[0].body, /^[1-9]\d* red → green, \d+ still green, 0 broken\. A patch waits for your decision\.$/);
  await soon(async () => assert.equal(`#/session/${told[0].tag}`, decodeURIComponent(new URL(page.url()).hash)));

  // a stray Enter on the button writes nothing
  await page.getByTestId('write').focus();
  await page.keyboard.press('Enter');
  await page.waitForTimeout(300);
  await soon(async () => assert.deepEqual(await disk(page, tabs), before));

  // approve
  await soon(async () => assert.match(await page.getByTestId('write').innerText(), new RegExp(`Write ${tabs.length} file`)));
  await page.getByTestId('write').click();
  await page.getByTestId('undo').waitFor();
  const written = await disk(page, tabs);
  for (const p of tabs) assert.notEqual(written[p], before[p], `${p} was written`);
  session = new URL(page.url()).hash;
  assert.match(session, /^#\/session\//);

  // reopen from the list, in the same view
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('session-row').first().waitFor();
  await page.locator(`[data-session="${decodeURIComponent(session.replace('#/session/', ''))}"]`).click();
  await page.getByTestId('review').waitFor();
  await page.getByTestId('undo').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Proven'));
  await soon(async () => assert.ok((await page.getByTestId('call').count()) >= 4, 'the trace is there again'));
  await page.locator('.cm-merge-b .cm-changedLine').first().waitFor();

  // undo, and undo the undo
  await page.getByTestId('undo').click();
  await page.getByTestId('undone-item').waitFor();
  await soon(async () => assert.deepEqual(await disk(page, tabs), before));
  await page.getByText('Write it again').click();
  await page.getByText('Undo: take').waitFor();
  await soon(async () => assert.deepEqual(await disk(page, tabs), written));
  await page.getByTestId('undo').click();
  await page.getByText('Write it again').waitFor();
  await soon(async () => assert.deepEqual(await disk(page, tabs), before));
});

story('a reload shows the session again', async (page) => {
  if (server.fake) return; // its sessions live in the page
  await page.getByTestId('compose').waitFor();
  await page.goto(`${base}${session}`);
  await page.getByTestId('proof-item').waitFor();
  await page.reload();
  await page.getByTestId('proof-item').waitFor();
  await page.getByTestId('file-tab').first().waitFor(); // the diff comes after the events
  await soon(async () => assert.equal(await page.getByTestId('file-tab').count(), changed.length));
});

story('a saved session plays again, from any place, and nothing can be decided in its past', async (page) => {
  if (server.fake) {
    await page.getByTestId('nav-sessions').click();
    await page.getByTestId('session-row').nth(2).click();
  } else {
    await opened(page);
    await page.goto(`${base}${session}`);
  }
  await page.getByTestId('proof-item').waitFor();
  await page.getByTestId('replay-begin').waitFor();
  const items = await page.locator('[data-testid="trace"] .item').count();
  const seal = await page.getByTestId('seal').getAttribute('data-state');
  const decided = async () => (await page.getByTestId('write').count()) + (await page.getByTestId('undo').count()) + (await page.getByTestId('reject').count());
  await soon(async () => assert.ok(await decided() > 0));

  // from the keyboard: it plays, and ends where the session ended
  await page.keyboard.press('l');
  await page.getByTestId('replay').waitFor();
  await page.getByTestId('replay-speed').getByText('Max').click();
  await page.waitForFunction(() => { const r = document.querySelector('[data-testid="replay-place"]'); return r.value === r.max; });
  await page.getByTestId('replay-toggle').getByText('Play').waitFor();
  await soon(async () => assert.equal(await page.locator('[data-testid="trace"] .item').count(), items, 'the end is as it was'));
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), seal));
  await soon(async () => assert.equal(await decided(), 0));
  await soon(async () => assert.ok(await page.getByTestId('say-text').isDisabled()));

  // back to the first event by the slider's own keys
  await page.getByTestId('replay-place').focus();
  await page.keyboard.press('Home');
  await page.getByTestId('progress').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('proof-item').count(), 0));
  await soon(async () => assert.equal(await page.getByTestId('step').count(), 0));
  await soon(async () => assert.match(await page.getByTestId('replay-place').getAttribute('aria-valuetext'), /^0:00 of \d+:\d\d$/));
  await page.keyboard.press('ArrowRight');
  await soon(async () => assert.equal(await page.getByTestId('replay-place').inputValue(), '2'));

  // to an act by its bar: the change as it was then, with the whole text around it
  const bars = page.locator('[data-testid="strip"] button.edit');
  await bars.last().click();
  await page.locator('[data-testid="diff"] .cm-changedLine, [data-testid="diff"] .cm-insertedLine').first().waitFor();
  await soon(async () => assert.equal(await page.getByTestId('proof-item').count(), 0));
  await soon(async () => assert.ok(await page.locator('[data-testid="strip"] button.ahead').count() > 0));

  // Space lets it go on, Escape ends it
  await page.getByTestId('replay-place').focus();
  await page.keyboard.press('Space');
  await page.getByTestId('replay-toggle').getByText('Hold').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('replay').waitFor({ state: 'detached' });
  await page.getByTestId('proof-item').waitFor();
  await soon(async () => assert.ok(await decided() > 0));
});

story('details open: arguments, what the model saw, the whole output', async (page) => {
  await page.getByTestId('start').or(page.getByTestId('compose')).or(page.getByTestId('review')).first().waitFor();
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('session-row').first().click();
  const call = page.locator('[data-testid="call"][data-tool="run_tests"]').first();
  await call.locator('summary').first().click();
  await call.getByText('What the model saw').waitFor();
  await call.getByText('Tests and output').click();
  await call.getByTestId('show-full').first().click();
  await soon(async () => assert.ok((await call.getByTestId('full-text').innerText()).length > 20));
});

story('by keyboard alone', async (page) => {
  await opened(page);
  await page.keyboard.press('Escape'); // out of the text, if the folder is open already
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.getByTestId('start').waitFor();
  await page.getByTestId('open-sample').focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('compose').waitFor();
  await page.waitForFunction(() => document.activeElement?.id === 'task-text');
  await page.keyboard.press('End');
  await page.keyboard.type(' Thank you.');
  if (!server.fake) {
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.querySelector('[data-testid="model-name"]'))) break;
    }
    await page.keyboard.press('Enter');
    for (let i = 0; i < 20; i++) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement?.getAttribute('data-ref')?.startsWith('script/'))) break;
    }
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('write').waitFor({ timeout: 240_000 });
  await page.getByTestId('diff-editor').first().waitFor();
  const layout = await page.getByTestId('diff').getAttribute('data-layout');
  await page.locator('body').press('d');
  await page.waitForFunction((was) => document.querySelector('[data-testid="diff"]').dataset.layout !== was, layout);
  for (let i = 0; i < 20; i++) { // the other layout's editors may still be in the making, and take the mark with them
    await page.keyboard.press('n');
    if (await page.locator('.cm-flash').first().waitFor({ timeout: 3000 }).then(() => true, () => false)) break;
  }
  await page.locator('.cm-flash').first().waitFor({ timeout: 3000 });
  await page.keyboard.press('?');
  await page.getByTestId('help').waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('help').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Shift+Enter');
  await page.getByTestId('undo').waitFor();
  await page.keyboard.press('u');
  await page.getByTestId('undone-item').waitFor();
});

story('search finds code and shows it', async (page) => {
  await toCompose(page);
  await page.keyboard.press('Control+k');
  await page.getByTestId('search-input').fill('address country');
  await page.getByTestId('search-hit').first().waitFor();
  await page.locator('[data-testid="search-preview"] mark').first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await page.getByTestId('search').waitFor({ state: 'detached' });
});

story('a folder that is not there is an error that says what to do', async (page) => {
  await page.getByTestId('start').or(page.getByTestId('compose')).or(page.getByTestId('review')).first().waitFor();
  await page.keyboard.press('Control+o');
  await page.getByTestId('folder-path').fill('/no/such/folder');
  await page.getByTestId('folder-open').click();
  await page.getByTestId('folder-error').waitFor();
});

story('cancel ends a run and changes nothing', async (page) => {
  await toCompose(page);
  const before = await disk(page, changed);
  await chooseRecorded(page);
  await page.getByTestId('start-task').click();
  await page.getByTestId('cancel').click();
  await page.getByTestId('outcome-note').waitFor();
  await soon(async () => assert.match(await page.getByTestId('outcome-note').innerText(), /Cancelled/));
  await soon(async () => assert.deepEqual(await disk(page, changed), before));
});

story('settings are kept', async (page) => {
  await opened(page);
  await page.getByTestId('nav-settings').click();
  await page.getByTestId('theme').getByText('Dark').click();
  await page.getByTestId('saved').getByText('Saved').waitFor();
  await soon(async () => assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark'));
  if (!server.fake) {
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await page.getByTestId('nav-settings').click();
  }
  await page.getByTestId('theme').getByText('System').click();
});

story('the doctor tells what isolates the tests', async (page) => {
  await opened(page);
  await page.getByTestId('nav-settings').click();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.getByTestId('check').first().waitFor({ timeout: 280_000 });
  await soon(async () => assert.ok((await page.getByTestId('doctor-rung').innerText()).length > 20));
  const kept = page.getByTestId('kept');
  for (const what of ['no network', 'loopback inside', 'exit status', 'file ownership', 'kill at the time limit', 'start']) {
    await soon(async () => assert.equal(await kept.getByText(what, { exact: true }).count(), 1, what));
  }
});
