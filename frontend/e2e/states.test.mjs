// What the real program does seldom: every state of a session, with the in-memory backend.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, picture, soon } from './browser.mjs';
import { givePicture } from './scenes.mjs';
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

/** scene plays one way a session can go. */
function scene(name, query, run, size = { width: 1440, height: 900 }) {
  test(name, { timeout: 180_000 }, async () => {
    const context = await browser.newContext({ viewport: size });
    const { page, check } = await open(context, `${server.url}?fake&${query}`);
    try {
      await page.getByTestId('start').waitFor();
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

async function task(page) {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('start-task').click();
}

scene('not proven: writing needs a yes, and says what is missing', 'speed=1000&scene=not_proven', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await soon(async () => assert.match(await page.getByTestId('write').innerText(), /anyway/));
  await page.keyboard.press('Control+Shift+Enter');
  await page.getByTestId('confirm-write').waitFor();
  await soon(async () => assert.match(await page.getByTestId('confirm-write').innerText(), /green before the patch is red with it[\s\S]*test_list_is_paged/));
  await page.keyboard.press('Enter'); // the focus is on the safe answer
  await page.getByTestId('confirm-write').waitFor({ state: 'detached' });
  await soon(async () => assert.equal(await page.getByTestId('undo').count(), 0));
  await page.getByTestId('write').click();
  await page.getByTestId('confirm-yes').click();
  await page.getByTestId('undo').waitFor();
});

scene('of tests for right code it is shown what each was seen to fail with', 'speed=1000&scene=tests', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  if (await page.getByTestId('evidence-toggle').count()) await page.getByTestId('evidence-toggle').click();
  await soon(async () => assert.match(await page.getByTestId('label').innerText(), /Checked\s+1 new test passes/));
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Checked'));
  await soon(async () => assert.equal(await page.getByTestId('reasons').count(), 0));
  await soon(async () => assert.match(await page.getByTestId('breaks').innerText(), /test_\w+\s+app\/invoices\.py:51 changed to if address is not None:/));
});

scene('a long suite shows how far it is: without a number of tests no measured bar, with one what is left', 'scene=slow&speed=3', async (page) => {
  await task(page);
  const bar = page.getByTestId('testing');
  await bar.waitFor();
  const measured = () => bar.locator('progress').evaluate((p) => p.position >= 0);
  await soon(async () => assert.equal(await measured(), false));
  await soon(async () => assert.match(await bar.innerText(), /^\d+ tests · \d+ a second\s+0:0\d$/));
  await bar.waitFor({ state: 'detached' });
  await page.getByTestId('diff').waitFor();
  await bar.waitFor(); // the proof's run, of the tests of the baseline
  await soon(async () => assert.equal(await measured(), true));
  await soon(async () => assert.match(await bar.innerText(), /^\d+ of about 212 tests · \d+ a second\s+0:0\d · about 0:0\d left$/));
  await page.getByTestId('write').waitFor();
  await soon(async () => assert.equal(await bar.count(), 0));
});

/** chosen is whether an item of the window's menu did something that is seen, or said why not. */
async function chosen(page, id) {
  const seen = () => page.evaluate(() => [document.body.innerText, ...[...document.querySelectorAll('textarea')].map((a) => a.value), document.activeElement?.dataset.testid, document.documentElement.dataset.theme, document.documentElement.style.cssText, document.querySelector('.item.lit')?.dataset.seq, !!document.querySelector('dialog[open]')].join());
  const before = await seen();
  await page.evaluate((what) => window.dispatchEvent(new CustomEvent('redgreen-command', { detail: what })), id);
  for (let n = 0; n < 200; n++) {
    if ((await page.getByTestId('toast').count()) > 0 || (await seen()) !== before) return true;
    await page.waitForTimeout(50);
  }
  return false;
}

for (const [where, query, go] of [
  ['on the first view', 'blank', async () => {}],
  ['over a task to write', 'speed=1000', async (page) => {
    await page.getByTestId('open-sample').click();
    await page.getByTestId('task-text').fill('x');
    await page.getByTestId('task-text').blur();
  }],
  ['over a patch that waits', 'speed=1000', async (page) => { await task(page); await page.getByTestId('write').waitFor(); }],
  ['over a run without a patch', 'speed=1000&scene=limit', async (page) => { await task(page); await page.getByTestId('outcome-note').waitFor(); }],
]) {
  scene(`each item of the menu does something or says why not, ${where}`, query, async (page) => {
    const items = (await (await page.request.get(new URL('menu.json', server.url).href)).json()).flatMap((m) => m.items).map((i) => i.id);
    const silent = [];
    for (const id of items.filter((i) => i && !['recent', 'quit'].includes(i))) {
      await page.goto(`${server.url}?fake&theme=dark&n=${id}&${query}`); // the system's theme looks light
      await page.getByTestId('start').waitFor();
      await go(page);
      if (!(await chosen(page, id))) silent.push(id);
    }
    assert.deepEqual(silent, []);
  });
}

scene('the menu over an open dialog says that it waits, above the dialog', 'speed=1000', async (page) => {
  await page.getByTestId('nav-help').click();
  await page.locator('dialog[open]').waitFor();
  await page.evaluate(() => window.dispatchEvent(new CustomEvent('redgreen-command', { detail: 'settings' })));
  const toast = page.getByTestId('toast');
  await toast.waitFor();
  await soon(async () => assert.match(await toast.innerText(), /in front/));
  await soon(async () => assert.equal(await toast.evaluate((t) => !!t.closest(':popover-open')), true)); // opened after the dialog, so it stands above it
  await page.keyboard.press('Escape');
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
});

for (const width of [1366, 1600]) {
  scene(`what isolates the tests and the model stand whole in the header, at ${width} px`, 'speed=1000', async (page) => {
    await task(page);
    await page.getByTestId('write').waitFor();
    for (const [id, text] of [['sandbox-badge', 'container (runc) · no network'], ['model-badge', 'claude-sonnet-4-5-20250929']]) {
      await page.getByTestId(id).locator('.cut').evaluate((el, words) => (el.textContent = words), text);
    }
    await page.getByTestId('sandbox-badge').evaluate((el) => el.append(Object.assign(document.createElement('span'), { textContent: 'limited' })));
    await soon(async () => {
      const cut = await page.locator('header .badge .cut').evaluateAll((all) => all.filter((el) => el.scrollWidth > el.clientWidth).map((el) => el.textContent));
      assert.deepEqual(cut, []);
      const [search, badge, help] = await Promise.all(['open-search', 'sandbox-badge', 'nav-help'].map((id) => page.getByTestId(id).boundingBox()));
      assert.ok(badge.x >= search.x + search.width && help.x + help.width <= width, 'it fits beside the search');
    });
  }, { width, height: 768 });
}

scene('an integrity flag leads to its line, also into folded text', 'speed=1000&scene=not_proven', async (page) => {
  await task(page);
  await page.getByTestId('integrity-flag').click();
  await page.locator('.cm-flash').waitFor();
});

scene('changed lines that no test ran, and new findings of linters, lead to their lines and are marked beside them', 'speed=1000&scene=not_proven', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  if (await page.getByTestId('evidence-toggle').count()) await page.getByTestId('evidence-toggle').click();
  await soon(async () => assert.match(await page.getByTestId('uncovered').innerText(), /2 changed lines were run by no test/));
  await soon(async () => assert.match(await page.getByTestId('findings').innerText(), /do not decide/));
  await soon(async () => assert.doesNotMatch(await page.getByTestId('not-covered').innerText(), /No test executed/));
  for (const id of ['uncovered-place', 'finding']) {
    await page.getByTestId(id).first().click();
    await page.locator('.cm-flash').waitFor();
    await page.locator('.cm-flash').waitFor({ state: 'detached' });
  }
  await soon(async () => assert.equal(await page.locator('[data-path="app/invoices.py"] + * .cm-sign').count(), 2));
  await soon(async () => assert.match(await page.locator('.cm-sign').last().getAttribute('title'), /No test ran this line\nruff E501/));
});

scene('how it was proven is one line, and on opening the whole of it', 'speed=1000', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  const how = page.getByTestId('how');
  await soon(async () => assert.match(await how.innerText(), /python 3\.11\.2 · pytest 7\.2\.1 · gVisor · all tests in 1\.1 s/));
  await how.locator('summary').click();
  await soon(async () => assert.match(await how.innerText(), /python3 -m pytest -q[\s\S]*\/usr\/bin\/python3[\s\S]*10 min · 2 GB memory · 2 CPUs · 1,024 processes[\s\S]*all tests 912 ms before, 1\.1 s with the patch[\s\S]*\d s in all, with 3 reruns of each test that turned green/));
});

scene('a stale patch cannot be written', 'speed=1000&scene=stale', async (page) => {
  await task(page);
  await page.getByTestId('stale').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Stale'));
  await soon(async () => assert.ok(await page.getByTestId('write').isDisabled()));
  await page.keyboard.press('Control+Shift+Enter');
  await page.waitForTimeout(200);
  await soon(async () => assert.equal(await page.getByTestId('undo').count() + (await page.getByTestId('confirm-write').count()), 0));
  await page.getByTestId('start-again').waitFor();
});

scene('a conflict at the click says that nothing was written', 'speed=1000&conflict', async (page) => {
  await task(page);
  await page.getByTestId('write').click();
  await page.getByTestId('act-error').waitFor();
  await soon(async () => assert.match(await page.getByTestId('act-error').innerText(), /Nothing was written/));
  await soon(async () => assert.equal(await page.getByTestId('undo').count(), 0));
});

scene('rejected with a comment, it goes on; without one, it ends', 'speed=1000', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await page.keyboard.press('r');
  await page.getByTestId('reject-comment').fill('The list reads the city too.');
  await page.getByTestId('reject-send').click();
  await page.locator('[data-step="8"]').waitFor();
  await page.getByTestId('write').waitFor();
  await page.getByTestId('say-text').fill('And the list?');
  await page.keyboard.press('Control+Enter');
  await page.locator('[data-step="9"]').waitFor();
  await page.getByTestId('reject').click();
  await page.getByTestId('reject-end').click();
  await page.getByTestId('outcome-note').waitFor();
  await soon(async () => assert.match(await page.getByTestId('outcome-note').innerText(), /Nothing in your folder has changed/));
});

scene('a limit tells what was tried', 'speed=1000&scene=limit', async (page) => {
  await task(page);
  await page.getByTestId('outcome-note').waitFor();
  await page.getByText('What was tried (4)').click();
  await page.getByText('searched “billing address”').waitFor();
});

scene('a question is answered where it is asked; criteria lead to their tests and can be changed', 'speed=1000&scene=feature', async (page) => {
  await task(page);
  await page.getByTestId('question-item').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Asks you'));
  await page.getByTestId('say-text').fill('Show it without a city.');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('write').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('task-kind').innerText(), 'Add a feature'));
  await soon(async () => assert.equal(await page.getByTestId('reflection').count(), 1));
  await page.getByTestId('compacted-item').locator('summary').click();
  await soon(async () => assert.match(await page.getByTestId('compacted-item').innerText(), /26\.4k → 7\.9k tokens[\s\S]*15 passed/));
  await soon(async () => assert.match(await page.getByTestId('criterion').nth(2).innerText(), /Not covered: no test names it/));
  await soon(async () => assert.equal(await page.getByTestId('criterion-covered').count(), 2));
  await soon(async () => assert.match(await page.getByTestId('criterion').first().innerText(), /✓ test_\w+/));
  await page.getByTestId('criterion-test').first().click();
  await page.locator('.cm-flash').waitFor();
  await page.getByTestId('scrutiny-mark').click();
  await page.locator('[data-path="app/invoices.py"] + * .cm-flash').waitFor();
  await page.locator('.cm-sign[data-kind="look"]').waitFor();
  await page.getByTestId('criteria-edit').click();
  await page.getByTestId('criteria-text').fill('Only this one.\n\n');
  await page.getByTestId('criteria-save').click();
  await page.getByTestId('criteria-dialog').waitFor({ state: 'detached' });
  await soon(async () => assert.equal(await page.getByTestId('criterion').count(), 1));
  await soon(async () => assert.equal(await page.getByTestId('criterion-covered').count(), 0)); // it was changed after the certificate was issued
  await page.getByTestId('criterion-uncovered').waitFor();
});

scene('a run that asks can be ended instead', 'speed=1000&scene=feature', async (page) => {
  await task(page);
  await page.getByTestId('question-item').waitFor();
  await page.getByTestId('cancel').click();
  await page.getByTestId('outcome-note').waitFor();
  await soon(async () => assert.match(await page.getByTestId('outcome-note').innerText(), /Nothing in your folder has changed/));
});

scene('a kind is chosen, and an explanation is an answer without a patch', 'speed=1000&scene=explain', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('kind-picker').click();
  await page.locator('[data-kind="explain"]').click();
  await soon(async () => assert.match(await page.getByTestId('start-task').innerText(), /Explain it/));
  await page.getByTestId('start-task').click();
  await page.getByTestId('explanation').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('task-kind').innerText(), 'Explain'));
  await soon(async () => assert.equal(await page.getByTestId('seal').getAttribute('data-state'), 'Answered'));
  await soon(async () => assert.equal(await page.getByTestId('write').count(), 0));
});

scene('a folder keeps its test command, its toolchain and its warning; a wrong one says what is wrong', 'speed=1000', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('folder-settings').click();
  await soon(async () => assert.ok(await page.getByTestId('tests-found').isChecked()));
  await soon(async () => assert.match(await page.getByTestId('folder-section').innerText(), /suggested by AGENTS\.md; it runs only if you choose it/));
  await page.getByTestId('test-choice').nth(1).check();
  await page.getByTestId('own-cmd').fill('pytest -q "tests');
  await soon(async () => assert.ok(await page.getByTestId('own-fix').isDisabled()));
  await page.getByTestId('own-cmd').fill('pytest -q tests');
  await page.getByLabel('The folder it runs in').fill('nowhere');
  await page.getByTestId('own-fix').click();
  await soon(async () => assert.match(await page.getByTestId('folder-error').innerText(), /There is no folder nowhere/));
  await page.getByLabel('The folder it runs in').fill('');
  await page.getByTestId('own-fix').click();
  await page.getByTestId('test-own').waitFor();
  await page.getByTestId('folder-image').selectOption('localhost/redgreen/python:latest');
  await page.getByTestId('allow-none').check({ force: true });
  await soon(async () => assert.match(await page.getByTestId('none-warning').innerText(), /runs as you/));
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await page.getByText('pytest -q tests').first().waitFor();
});

scene('an installation shows what it runs and reaches, and what it was refused', 'speed=1000&badinstall', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('prepare-open').click();
  await soon(async () => assert.match(await page.getByTestId('prepare-step').innerText(), /pip install --requirement requirements\.txt[\s\S]*pypi\.org/));
  await page.keyboard.press('Enter'); // the focus is on the safe answer
  await page.getByTestId('prepare').waitFor({ state: 'detached' });
  await page.getByTestId('prepare-open').click();
  await page.getByTestId('prepare-go').click();
  await soon(async () => assert.match(await page.getByTestId('prepared').innerText(), /no matching distribution/));
  await soon(async () => assert.match(await page.getByTestId('refused').innerText(), /telemetry\.example\.net:443\s+3 ×/));
});

scene('without images and lockfiles the settings of a folder say so', 'noimages&nolock', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('folder-settings').click();
  await page.getByTestId('folder-section').getByText('No image can be used here').waitFor();
  await soon(async () => assert.match(await page.getByTestId('dependencies').innerText(), /No lockfile was found/));
});

scene('an error of the model ends with what to do', 'speed=50&scene=error', async (page) => {
  await task(page);
  await page.getByTestId('outcome-note').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('outcome-note').locator('code').innerText(), 'ollama serve'));
  await soon(async () => assert.doesNotMatch(await page.locator('main').innerText(), /`/));
});

scene('an unknown price is never 0.00', 'speed=1000&scene=unpriced', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('model-picker').click();
  await page.locator('[data-ref^="anthropic/"]').click();
  await page.getByTestId('start-task').click();
  await page.getByTestId('write').waitFor();
  await soon(async () => assert.match(await page.getByTestId('meter-cost').innerText(), /price unknown/));
  await soon(async () => assert.match(await page.getByTestId('meter-steps').innerText(), /7\s+of 30/));
});

scene('a question before an edit; Escape refuses', 'speed=1000&scene=ask', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('test-command').click();
  await page.getByTestId('ask-edits').check({ force: true });
  await page.keyboard.press('Escape');
  await page.getByTestId('start-task').click();
  await page.getByTestId('ask').waitFor();
  await soon(async () => assert.match(await page.getByTestId('ask').innerText(), /tests\/test_invoices\.py/));
  await page.keyboard.press('Escape');
  await page.getByTestId('ask').waitFor({ state: 'detached' });
});

for (const engine of ['', '&engine'])
  scene(`where the diff will be is said in words that hold for ${engine ? 'the built-in engine' : 'a model'}`, `speed=1${engine}`, async (page) => {
    await task(page);
    await soon(async () => {
      const said = await page.getByTestId('progress').innerText();
      assert.match(said, /^No change yet[\s\S]*The diff appears here with the first change\./);
      assert.doesNotMatch(said, /model/i);
    });
  });

scene('streamed text shows while it is written, then gives way to the reply', 'speed=0.25', async (page) => {
  await task(page);
  await page.getByTestId('stream').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('stream').getAttribute('aria-live'), 'off'));
  await page.locator('[data-step="1"] .think').waitFor();
  await soon(async () => assert.equal(await page.locator('[data-step="1"] [data-testid="stream"]').count(), 0));
});

scene('without a sandbox the page says what to install', 'nosandbox', async (page) => {
  await page.getByText('No sandbox works here yet').waitFor();
  await page.getByTestId('doctor-line').click();
  await page.getByText('sudo apt install podman').first().waitFor();
});

scene('the first run explains itself in three steps', 'blank', async (page) => {
  await soon(async () => assert.equal(await page.getByTestId('first-run').locator('li').count(), 3));
});

scene('a file of 10,000 lines opens by its changes', 'speed=1000&scene=big', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await page.getByTestId('file-tab').nth(2).click();
  const big = page.locator('[data-path="src/generated/table.ts"] + * .cm-merge-b .cm-changedLine');
  await big.first().waitFor();
  await soon(async () => {
    const nodes = await page.locator('.cm-line').count();
    assert.ok(nodes < 1500, `${nodes} lines in the page`);
  });
});

scene('a long run: few rows in the page, all of it in the timeline, and its cost over the steps', 'long=2500', async (page) => {
  await page.getByTestId('session-row').filter({ hasText: 'events' }).click();
  await page.getByTestId('end-item').waitFor();
  const rows = () => page.getByTestId('step').evaluateAll((all) => all.map((e) => Number(e.dataset.step)));
  await soon(async () => assert.ok((await rows()).length <= 240));
  await page.getByTestId('trace').hover();
  for (let i = 0; i < 12 && Math.min(...(await rows())) > 2300; i++) {
    await page.mouse.wheel(0, -4000);
    await page.waitForTimeout(60);
  }
  await soon(async () => assert.ok(Math.min(...(await rows())) <= 2300 && (await rows()).length <= 240, 'earlier rows came in, later ones left'));
  const strip = await page.getByTestId('strip').boundingBox();
  await page.mouse.move(strip.x + 40, strip.y + 30);
  await page.mouse.down();
  await page.mouse.move(strip.x + strip.width / 2, strip.y + 30, { steps: 4 });
  await page.mouse.up();
  await page.locator('.item.lit [data-step]').waitFor();
  await soon(async () => {
    const lit = Number(await page.locator('.item.lit [data-step]').getAttribute('data-step'));
    assert.ok(lit > 1100 && lit < 1400, `step ${lit} is in the middle`);
  });
  await page.getByTestId('plots').click();
  await page.locator('[data-testid="plot"] canvas').first().waitFor();
  await soon(async () => assert.equal(await page.getByTestId('plot').count(), 2)); // a local model costs nothing
});

scene('the trace follows what happens until it is scrolled up, and goes on with it when asked', 'speed=3', async (page) => {
  await task(page);
  await page.locator('[data-step="4"]').waitFor();
  const trace = page.getByTestId('trace');
  const below = () => trace.evaluate((e) => e.scrollHeight - e.scrollTop - e.clientHeight);
  await soon(async () => assert.ok((await below()) < 40, 'it follows'));
  await trace.evaluate((e) => (e.scrollTop = 0));
  await page.getByTestId('trace-now').waitFor();
  await page.locator('[data-step="6"]').waitFor({ state: 'attached' });
  await soon(async () => assert.equal(await trace.evaluate((e) => e.scrollTop), 0));
  await page.getByTestId('trace-now').click();
  await page.getByTestId('trace-now').waitFor({ state: 'detached' });
  await page.locator('[data-step="7"]').waitFor();
  await soon(async () => assert.ok((await below()) < 40, 'it follows again'));
}, { width: 1440, height: 520 });

scene('a diff has colours, marks what changed within a line, folds what did not change and shows the whole file', 'speed=1000', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  const right = page.locator('[data-path="app/invoices.py"] + * .cm-merge-b');
  await right.locator('.cm-part').first().waitFor();
  await soon(async () => assert.match((await right.locator('.cm-part').allInnerTexts()).join(''), /if address else None/));
  await page.waitForFunction(() => document.querySelectorAll('.cm-merge-b .cm-line span[class]:not(.cm-part)').length > 5);
  const lines = () => right.locator('.cm-line').count();
  const folded = await lines();
  await soon(async () => assert.equal(await right.locator('.cm-collapsedLines').count(), 2));
  await right.locator('.cm-collapsedLines').first().click();
  await page.waitForFunction(() => document.querySelectorAll('[data-path="app/invoices.py"] + * .cm-merge-b .cm-collapsedLines').length === 1);
  await soon(async () => assert.ok((await lines()) > folded));
  await page.locator('[data-path="app/invoices.py"] button[aria-pressed="false"]').first().click();
  await page.waitForFunction(() => document.querySelectorAll('[data-path="app/invoices.py"] + * .cm-merge-b .cm-collapsedLines').length === 0);
}, { width: 1700, height: 900 });

scene('the theme follows the system, text grows by a setting, and who wants no motion sees none', '', async (page) => {
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  for (const scheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForFunction((want) => document.documentElement.dataset.theme === want, scheme);
  }
  await page.getByTestId('nav-settings').click();
  await page.locator('input[type="range"]').first().fill('16');
  await page.waitForFunction(() => getComputedStyle(document.documentElement).fontSize === '16px');
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await soon(async () => assert.equal(await theme(), 'dark')); // the system is light
  const moves = () => page.evaluate(() => {
    const bar = document.body.appendChild(document.createElement('progress'));
    const s = getComputedStyle(bar);
    const found = [s.animationName, parseFloat(s.animationDuration)];
    bar.remove();
    return found;
  });
  await soon(async () => assert.equal((await moves())[1], 1.6));
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await soon(async () => assert.ok((await moves())[1] < 0.001));
});

scene('two settings that are changed quickly are stored in their order, and neither is undone', 'window&slowsave', async (page) => {
  await page.getByTestId('nav-settings').click();
  const size = page.locator('#font-size');
  for (const item of ['larger', 'larger', 'smaller', 'dark']) await page.evaluate((detail) => window.dispatchEvent(new CustomEvent('redgreen-command', { detail })), item);
  await page.waitForFunction(() => window.fakeSaved().length === 4);
  await soon(async () => assert.equal(await size.inputValue(), '14'));
  await soon(async () => assert.deepEqual(await page.evaluate(() => window.fakeSaved().map((s) => [s.font_size, s.theme])), [[14, 'system'], [15, 'system'], [14, 'system'], [14, 'dark']]));
});

scene('a message names files and symbols by a few letters', '', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('task-text').fill('');
  await page.getByTestId('task-text').pressSequentially('Look at @rend');
  await page.getByTestId('mentions').getByText('render_invoice').waitFor();
  await page.keyboard.press('Enter');
  await page.getByTestId('mentions').waitFor({ state: 'detached' });
  await soon(async () => assert.equal(await page.getByTestId('task-text').inputValue(), 'Look at `render_invoice` (app/invoices.py:47) '));
  await page.waitForTimeout(50); // the cursor is put behind it
  await page.keyboard.type('@');
  await page.getByTestId('mentions').locator('li').nth(3).waitFor();
  await page.keyboard.press('Escape'); // closes the list only
  await page.getByTestId('mentions').waitFor({ state: 'detached' });
  await page.keyboard.type('!');
  await soon(async () => assert.match(await page.getByTestId('task-text').inputValue(), /@!$/));
});

scene('Escape leaves a side view for the work', 'speed=1000', async (page) => {
  await page.getByTestId('nav-settings').click();
  await page.keyboard.press('Escape');
  await page.getByTestId('open-sample').waitFor();
  await page.getByTestId('open-sample').click();
  await page.getByTestId('start-task').waitFor();
  await page.getByTestId('nav-settings').click();
  await page.keyboard.press('Escape');
  await page.getByTestId('start-task').waitFor();
});

for (const [width, height] of [[900, 600], [1100, 700], [1440, 900]]) {
  for (const font of [13, 18]) {
    scene(`nothing is cut at ${width}×${height}, text ${font} px`, `speed=1000&font=${font}`, async (page) => {
      const wide = (where) => soon(async () => {
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${where} is ${over} px wider than the window`);
      });
      await page.getByTestId('compose').or(page.getByTestId('start')).first().waitFor();
      for (const nav of ['nav-sessions', 'nav-settings']) {
        await page.getByTestId(nav).click();
        await wide(nav);
      }
      await page.getByTestId('home').click();
      await wide('start');
      await task(page);
      await page.getByTestId('write').waitFor();
      await wide('review');
      await soon(async () => {
        const box = await page.getByTestId('write').boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height, 'the button that writes is in sight');
      });
      if (await page.getByTestId('trace-toggle').count()) {
        await page.keyboard.press('t');
        await page.getByTestId('trace').waitFor();
        await wide('drawer');
      }
    }, { width, height });
  }
}

scene('a model is measured after its cost was shown, and the forms it manages are kept', 'speed=50', async (page) => {
  await page.getByTestId('nav-settings').click();
  await page.getByTestId('forms-model').selectOption('anthropic/claude-sonnet-4-5');
  await soon(async () => assert.match(await page.getByTestId('forms-measured').innerText(), /Not yet/));
  await page.getByTestId('probe-open').click();
  await soon(async () => assert.match(await page.getByTestId('probe-plan').innerText(), /20 to 36 calls.*At most \$0\.41/));
  await page.keyboard.press('Enter'); // the focus is on "Not now"
  await page.getByTestId('probe').waitFor({ state: 'detached' });
  await page.getByTestId('probe-open').click();
  await page.getByTestId('probe-go').click();
  await page.getByText('are used from now on').waitFor();
  await page.getByTestId('probe').getByRole('button', { name: 'Close' }).click();
  await soon(async () => assert.match(await page.getByTestId('forms-measured').innerText(), /calls as the provider’s calls 8 of 8, edits as search and replace 3 of 3, just now/));
  await soon(async () => assert.equal(await page.getByTestId('forms-edits').inputValue(), 'search_replace'));
  await page.getByTestId('forms-edits').selectOption('whole_file');
  await soon(async () => assert.equal(await page.getByTestId('forms-edits').inputValue(), 'whole_file'));
});

scene('a price that is unknown is said before a model is measured', 'unpriced', async (page) => {
  await page.getByTestId('nav-settings').click();
  await page.getByTestId('forms-model').selectOption('anthropic/claude-sonnet-4-5');
  await page.getByTestId('probe-open').click();
  await soon(async () => assert.match(await page.getByTestId('probe-plan').innerText(), /price is unknown/));
});

scene('what sessions cost, by day, model and folder; unknown is shown as unknown', '', async (page) => {
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('sessions-part').getByText('Spending').click();
  await soon(async () => assert.match(await page.getByTestId('bills').innerText(), /\$0\.0901 or more\s+1 session of unknown price/));
  await page.getByTestId('bills-by').getByText('By model').click();
  await page.getByTestId('bills').getByText('openai/gpt-oss-next').waitFor();
  await soon(async () => assert.match(await page.getByTestId('bills').innerText(), /gpt-oss-next[^$]*price unknown/));
  await page.getByTestId('bills-by').getByText('By folder').click();
  await page.getByTestId('bills').getByText('invoice-api').waitFor();
});

scene('an image is chosen for a language, and the doctor tells the folder’s toolchains', '', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('start-task').waitFor();
  await page.getByTestId('nav-settings').click();
  await page.getByTestId('image-javascript').selectOption('localhost/redgreen/python:latest');
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('nav-settings').click();
  await soon(async () => assert.equal(await page.getByTestId('image-javascript').inputValue(), 'localhost/redgreen/python:latest'));
  await soon(async () => assert.equal(await page.getByTestId('image-python').inputValue(), ''));
  await page.getByTestId('sandbox-badge').click();
  await page.getByTestId('toolchains').getByText('.nvmrc asks for 22').waitFor();
});

scene('whoever goes elsewhere while a folder opens stays there, and has the folder', 'speed=0.1', async (page) => {
  for (const [to, at] of [['nav-settings', '#font-size'], ['home', '[data-testid="start"]']]) {
    await page.getByTestId('home').click();
    await page.getByTestId('open-sample').click();
    await page.getByTestId('leave-opening').waitFor();
    await page.getByTestId(to).click();
    await page.waitForTimeout(2500); // the answer comes
    assert.equal(await page.locator(at).count(), 1);
    assert.equal(await page.getByTestId('compose').count(), 0);
    await page.getByTestId('nav-settings').click();
    await page.getByTestId('folder-name').waitFor();
  }
});

scene('a folder that is still being opened gives way to a session, and to Cancel', 'speed=0.1', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('leave-opening').click();
  await page.getByTestId('leave-opening').waitFor({ state: 'detached' });
  await page.waitForTimeout(2500); // the answer comes, and is not wanted any more
  assert.equal(await page.getByTestId('folder-name').count(), 0);
  assert.equal(await page.getByTestId('start').count(), 1);
  await page.getByTestId('open-sample').click();
  await page.getByTestId('session-row').first().click();
  await page.getByTestId('review').waitFor();
  await page.waitForTimeout(2500);
  assert.equal(await page.getByTestId('review').count(), 1, 'the session is still shown');
});

scene('without a sandbox the badge follows what is allowed for the open folder', 'nosandbox', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('sandbox-badge').getByText('No sandbox').waitFor();
  await page.getByTestId('nav-settings').click();
  await page.getByTestId('allow-none').check({ force: true });
  await page.getByTestId('sandbox-badge').getByText('no isolation').waitFor();
});

scene('a session is named, pinned, found by what was read, and deleted for good', '', async (page) => {
  await page.getByTestId('nav-sessions').click();
  const menu = (n) => page.getByTestId('session-menu').nth(n).click();
  await page.getByTestId('session-row').nth(2).waitFor();
  await menu(2);
  await page.getByTestId('session-rename').click();
  await page.getByTestId('rename-text').fill('paging, first try');
  await page.keyboard.press('Enter');
  await page.getByTestId('session-row').getByText('paging, first try').waitFor();
  await menu(2);
  await page.getByTestId('session-pin').click();
  await page.getByTestId('session-row').first().getByText('paging, first try').waitFor();
  await page.getByTestId('sessions-search').fill('paging');
  await page.getByTestId('session-hit').locator('mark').first().waitFor();
  await soon(async () => assert.equal(await page.getByTestId('session-row').count(), 1));
  await menu(0);
  await page.getByTestId('session-delete').click();
  await page.keyboard.press('Enter'); // the focus is on "Keep it"
  await page.getByTestId('delete-dialog').waitFor({ state: 'detached' });
  await soon(async () => assert.equal(await page.getByTestId('session-row').count(), 1));
  await menu(0);
  await page.getByTestId('session-delete').click();
  await page.getByTestId('delete-go').click();
  await page.getByText('No session fits.').waitFor();
});

scene('the list of sessions is narrowed by folder, model, outcome, day and pin', '', async (page) => {
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('session-row').nth(2).waitFor();
  const all = await page.getByTestId('session-row').count();
  const rows = async () => { // what three looks in a row agree on
    for (let seen = [-1]; ; seen.push(await page.getByTestId('session-row').count())) {
      if (seen.length > 3 && new Set(seen.slice(-3)).size === 1) return seen.at(-1);
      await page.waitForTimeout(200);
    }
  };
  for (const name of ['folder', 'model', 'outcome', 'begun']) {
    const field = page.getByTestId(`sessions-${name}`);
    const values = await field.locator('option').evaluateAll((options) => options.map((o) => o.value));
    const counts = [];
    for (const value of values.slice(1)) {
      await field.selectOption(value);
      counts.push(await rows());
    }
    if (name !== 'folder') assert.ok(counts.some((n) => n < all), `${name} narrows nothing: ${counts} of ${all}`);
    if (name !== 'begun') assert.equal(counts.reduce((a, b) => a + b, 0), all, `${name}: ${counts}`);
    await field.selectOption(values[0]);
  }
  await page.getByTestId('sessions-pinned').check();
  await page.getByTestId('sessions-outcome').selectOption('limit');
  await soon(async () => assert.equal(await rows(), 0));
  await page.getByRole('button', { name: 'Show all' }).click();
  await soon(async () => assert.equal(await rows(), all));
  await soon(async () => assert.equal(await page.getByTestId('sessions-pinned').isChecked(), false));
});

scene('two sessions stand side by side', '', async (page) => {
  await page.getByTestId('nav-sessions').click();
  for (const n of [0, 1]) {
    await page.getByTestId('session-menu').nth(n).click();
    await page.getByTestId('session-compare').click();
  }
  await page.getByTestId('pair').first().waitFor();
  await soon(async () => assert.match(await page.getByTestId('compare').innerText(), /steps? the same, 2 different/));
});

scene('another way from a step is a session of its own, and a change leads to its step', 'speed=1000', async (page) => {
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('session-row').first().click();
  await page.locator('.cm-merge-b .cm-changedLine').first().waitFor();
  const before = page.url();
  await page.keyboard.press('w');
  await page.locator('.item.lit').first().waitFor();
  await page.locator('[data-step="2"] .n').click();
  await page.getByTestId('fork').click();
  await page.getByTestId('fork-text').fill('leave the parser alone');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('forked-item').waitFor();
  await page.getByTestId('message').getByText('leave the parser alone').waitFor();
  await soon(async () => assert.notEqual(page.url(), before));
  await page.getByTestId('write').waitFor();
});

/** dropFile drops a file on a field, or pastes it. */
async function dropFile(page, field, name, content, how = 'drop') {
  await page.getByTestId(field).evaluate((el, [name, content, how]) => {
    const data = new DataTransfer();
    data.items.add(new File([typeof content === 'string' ? content : new Uint8Array(content)], name));
    const init = { bubbles: true, cancelable: true };
    if (how === 'paste') return el.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
    el.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }));
    el.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }));
  }, [name, content, how]);
}

scene('pictures go with a message: pasted, dropped, chosen, removed, sent, shown, played again; not to a model that takes none', 'speed=1000&scene=feature', async (page) => {
  const items = page.getByTestId('attached').locator('img');
  await page.getByTestId('open-sample').click();
  await givePicture(page, 'task-text', 'one.png');
  await givePicture(page, 'task-text', 'two.png', 'drop');
  await items.nth(1).waitFor();
  await soon(async () => assert.deepEqual(await items.evaluateAll((all) => all.map((i) => i.alt)), ['one.png', 'two.png']));
  await page.getByTestId('attached-unknown').waitFor(); // nobody says it of this model, which runs here
  await soon(async () => assert.equal(await page.getByTestId('attached-sent').count(), 0));

  const png = Buffer.from(await items.first().evaluate((i) => i.src.split(',')[1]), 'base64');
  const file = (name, mimeType, buffer) => page.getByTestId('attach-file').setInputFiles({ name, mimeType, buffer });
  const problem = async (words) => page.getByTestId('attached-problem').getByText(words).waitFor();
  await file('drawing.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  await problem('drawing.svg is no PNG');
  await file('cut.png', 'image/png', png.subarray(0, 20));
  await problem('cut.png: the PNG picture cannot be read');
  await file('huge.png', 'image/png', Buffer.alloc(4_000_000));
  await problem('huge.png has more than 3.75 MB');
  for (const n of [3, 4, 5]) await file(`${n}.png`, 'image/png', png);
  await items.nth(4).waitFor();
  await file('6.png', 'image/png', png);
  await problem('at most 5 pictures');
  for (let n = 5; n > 1; n--) await page.getByRole('button', { name: 'Remove the picture' }).last().press('Enter');
  await soon(async () => assert.equal(await items.count(), 1));
  await soon(async () => assert.equal(await page.getByTestId('attached-problem').count(), 0));

  const choose = async (provider) => {
    await page.getByTestId('model-picker').click();
    await page.locator(`[data-testid="model-choice"][data-ref^="${provider}/"]`).click();
  };
  await choose('script');
  await page.getByTestId('attached-refused').getByText('Pictures cannot go to recorded model, which takes none').waitFor();
  await soon(async () => assert.ok(await page.getByTestId('start-task').isDisabled(), 'a picture went to a model that takes none'));
  await choose('anthropic');
  await page.getByTestId('attached-sent').getByText('sent to claude-sonnet-4-5, without the place').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('attached-unknown').count(), 0));
  await page.getByTestId('start-task').click();

  const shown = (bubble) => page.getByTestId(bubble).getByTestId('said-pictures').locator('img');
  await shown('task-bubble').waitFor();
  await soon(async () => assert.match(await shown('task-bubble').getAttribute('alt'), /^Picture 1: PNG, 240 × 120 pixels$/));
  await page.getByTestId('question-item').waitFor();
  await givePicture(page, 'say-text', 'answer.png');
  await page.getByTestId('say').getByTestId('attached').waitFor();
  await page.getByTestId('say-text').fill('Show it like this.');
  await page.keyboard.press('Control+Enter');
  await shown('message').waitFor();
  await soon(async () => assert.equal(await items.count(), 0, 'a picture that was sent stays in the field'));
  await page.getByTestId('write').waitFor();
  await page.getByTestId('reject').click();
  const dialog = page.getByTestId('reject-dialog');
  await givePicture(page, 'reject-comment', 'wrong.png');
  await dialog.getByTestId('attached').locator('img').waitFor();
  await dialog.getByTestId('attached-sent').waitFor();
  await soon(async () => assert.ok(await page.getByTestId('reject-send').isDisabled(), 'a picture goes without a word'));
  await page.getByTestId('reject-comment').fill('Not like this.');
  await page.keyboard.press('Control+Enter');
  const rejected = page.getByTestId('message').filter({ hasText: 'Not like this.' });
  await rejected.getByTestId('said-pictures').locator('img').waitFor();
  await page.getByTestId('write').waitFor();
  await givePicture(page, 'say-text', 'again.png'); // the field sends back too
  await page.getByTestId('say').getByTestId('attached').waitFor();
  await page.getByTestId('say-text').fill('Nor like that.');
  await soon(async () => assert.equal(await page.getByTestId('say-send').textContent(), 'Send back'));
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('message').filter({ hasText: 'Nor like that.' }).getByTestId('said-pictures').locator('img').waitFor();
  await page.getByTestId('write').click();
  await page.getByTestId('undo').waitFor();
  await page.getByTestId('replay-begin').click();
  await shown('task-bubble').waitFor();
});

scene('a red test, a selection and a file are quoted in a message, by key, button, drag, drop and paste', 'speed=1000&scene=not_proven', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('task-text').fill('');
  await dropFile(page, 'task-text', 'trace.txt', 'Traceback:\n  File "a.py", line 3\nValueError: x\n');
  await page.waitForFunction(() => document.querySelector('#task-text').value.startsWith('trace.txt:\n```\nTraceback:'));
  await page.keyboard.press('Control+Z'); // as if it were typed
  await soon(async () => assert.equal(await page.getByTestId('task-text').inputValue(), ''));
  await dropFile(page, 'task-text', 'run.log', 'E  1 != 2', 'paste');
  await page.waitForFunction(() => document.querySelector('#task-text').value === 'run.log:\n```\nE  1 != 2\n```\n');
  await dropFile(page, 'task-text', 'photo.jpg', [0xff, 0xd8, 0xff]);
  await page.getByText('photo.jpg is no text file').waitFor();

  await page.getByTestId('start-task').click();
  await page.getByTestId('write').waitFor();
  await soon(async () => assert.match(await page.getByTestId('task-bubble').locator('pre').innerText(), /^E {2}1 != 2/));
  const say = page.getByTestId('say-text');
  await page.getByTestId('test-table').locator('summary').click();
  const row = page.getByTestId('test-table').locator('li[draggable="true"]').first();
  const name = (await row.getAttribute('title')) ?? '';
  await page.keyboard.press('q');
  await page.waitForFunction(() => document.activeElement?.dataset.testid === 'say-text');
  await soon(async () => assert.match(await say.inputValue(), /^```\n\S+ (failed|error)\n[\s\S]*\n```\n$/));
  await say.fill('');
  await row.getByTestId('quote-test').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction((name) => document.querySelector('[data-testid=say-text]').value.startsWith('```\n' + name), name);
  await say.fill('Look:');
  await row.dragTo(say);
  await soon(async () => assert.ok((await say.inputValue()).startsWith('Look:\n\n```\n' + name)));
  await say.fill('');
  await page.keyboard.press('Escape');
  await page.evaluate(() => getSelection().selectAllChildren(document.querySelector('[data-testid=task-bubble] pre')));
  await page.keyboard.press('q');
  await page.waitForFunction(() => document.querySelector('[data-testid=say-text]').value === '```\nE  1 != 2\n```\n');
});

/** carry drags files or folders over an element, as a browser tells of them or as WebKitGTK does in the window, and drops them. */
async function carry(page, over, names, types = ['Files'], drop = true) {
  await page.locator(over).evaluate((el, [names, types, drop]) => {
    const items = names.map((name) => ({ kind: 'file', getAsFile: () => new File(['x'], name), webkitGetAsEntry: () => ({ name, isDirectory: !name.includes('.') }) }));
    const dataTransfer = { types, items: types.includes('Files') ? items : [], files: [], getData: () => '' };
    for (const type of ['dragenter', 'dragover', ...(drop ? ['drop'] : [])]) {
      const e = new Event(type, { bubbles: true, cancelable: true });
      el.dispatchEvent(Object.assign(e, { dataTransfer }));
      if (!e.defaultPrevented) throw new Error(`${type} would open what is dropped in place of the page`);
    }
  }, [names, types, drop]);
}

/** told is what Go tells of a drop on an element of the window. */
async function told(page, over, ...items) {
  await carry(page, over, [], ['text/uri-list', 'text/html']);
  const at = await page.locator(over).boundingBox();
  await page.evaluate((detail) => window.dispatchEvent(new CustomEvent('redgreen-drop', { detail })), { x: Math.round(at.x + at.width / 2), y: Math.round(at.y + at.height / 2), items });
}

const shop = { path: '/home/ada/src/shop', kind: 'folder', folder: '' };
const log = { path: '/home/ada/logs/run.log', kind: 'file', folder: '/home/ada/logs' };

scene('a folder that is dropped on the window is opened; of anything else it is said why not', 'window&scene=slow', async (page) => {
  const start = '[data-testid=start]';
  await carry(page, start, [], ['text/uri-list', 'text/html'], false);
  await page.getByTestId('drop-target').waitFor();
  await page.locator(start).dispatchEvent('dragleave');
  await page.getByTestId('drop-target').waitFor({ state: 'detached' });
  await told(page, start, { path: '/home/ada/gone', kind: 'gone', folder: '' });
  await page.getByTestId('toast').filter({ hasText: 'nothing at /home/ada/gone any more' }).waitFor();
  await told(page, start, shop, { ...shop, path: '/home/ada/src/other' });
  await page.getByTestId('toast').filter({ hasText: '2 things were dropped' }).waitFor();
  await soon(async () => assert.equal(await page.getByTestId('drop-target').count(), 0));
  await told(page, start, { ...shop, path: '/root/locked' });
  await page.getByTestId('open-error').filter({ hasText: '/root/locked' }).waitFor();

  await told(page, start, log); // its folder is offered, and opened by a yes
  await page.getByTestId('drop-offer').filter({ hasText: '/home/ada/logs' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByTestId('drop-offer').waitFor({ state: 'detached' });
  await told(page, start, log);
  await page.getByTestId('drop-open').click();
  await page.getByTestId('compose').getByText('/home/ada/logs', { exact: true }).waitFor();
  await told(page, '[data-testid=compose] h1', log);
  await page.getByTestId('toast').filter({ hasText: 'run.log lies in the open folder' }).waitFor();

  await page.getByTestId('task-text').fill(''); // on the message, a file is quoted and a folder is opened all the same
  await told(page, '#task-text', log);
  await page.waitForFunction(() => document.querySelector('#task-text').value === 'run.log:\n```\nE  1 != 2 in /home/ada/logs/run.log\n```\n');
  await told(page, '#task-text', { ...log, path: '/home/ada/logs/photo.jpg' });
  await page.getByTestId('toast').filter({ hasText: 'photo.jpg: the JPEG picture cannot be read' }).waitFor();
  await told(page, '#task-text', { ...log, path: '/home/ada/logs/dropped.png' });
  await page.getByTestId('attached').getByAltText('dropped.png').waitFor();
  await page.getByTestId('attached-remove').click();
  await told(page, '#task-text', shop);
  await page.getByTestId('compose').getByText(shop.path, { exact: true }).waitFor();

  await page.getByTestId('task-text').fill('Totals are wrong'); // a run at work goes on
  await page.getByTestId('start-task').click();
  await page.getByTestId('say-text').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  await told(page, 'dialog[open]', log);
  await page.getByTestId('toast').filter({ hasText: 'Answer or close what is in front first' }).waitFor();
  await page.keyboard.press('Escape');
  await told(page, 'header', { ...shop, path: '/home/ada/src/other' });
  await page.getByTestId('compose').getByText('/home/ada/src/other', { exact: true }).waitFor();
  await page.getByTestId('toast').filter({ hasText: 'The run that was shown goes on' }).waitFor();
});

scene('what an earlier drag carried is not opened by a text that is dropped later', 'window', async (page) => {
  await carry(page, '[data-testid=start]', [], ['text/uri-list'], false);
  await page.locator('[data-testid=start]').dispatchEvent('dragover', { dataTransfer: await page.evaluateHandle(() => Object.assign(new DataTransfer(), {})) });
  await page.evaluate((items) => window.dispatchEvent(new CustomEvent('redgreen-drop', { detail: { x: 10, y: 300, items } })), [shop]);
  await page.waitForTimeout(500);
  await soon(async () => assert.equal(await page.getByTestId('compose').count(), 0));
});

scene('a browser says what to do with a folder that is dropped on it', '', async (page) => {
  const start = '[data-testid=start]';
  await carry(page, start, ['notes.txt']);
  await page.getByTestId('toast').filter({ hasText: 'Open its folder first' }).waitFor();
  await carry(page, start, ['shop', 'other']);
  await page.getByTestId('toast').filter({ hasText: '2 things were dropped' }).waitFor();
  await carry(page, start, ['shop']);
  await page.getByTestId('folder-dropped').filter({ hasText: 'where “shop” lies' }).waitFor();
  await page.getByTestId('folder-path').fill('/home/ada/src/shop');
  await page.keyboard.press('Enter');
  await page.getByTestId('compose').getByText('/home/ada/src/shop', { exact: true }).waitFor();
  await page.keyboard.press('Control+o');
  await page.getByTestId('folder-dialog').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('folder-dropped').count(), 0));
  await page.keyboard.press('Escape');
  await carry(page, '#task-text', ['lib']);
  await page.getByTestId('folder-dropped').filter({ hasText: '“lib”' }).waitFor();
});

scene('a narrow window opens the trace for a quotation', 'speed=1000', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('say-text').count(), 0));
  await page.keyboard.press('q');
  await page.waitForFunction(() => document.querySelector('[data-testid=say-text]')?.value.startsWith('```\n'));
}, { width: 900, height: 600 });

scene('a message is edited and sent again, as another way from before it', 'speed=1000', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await page.getByTestId('say-text').fill('And the list?');
  await page.keyboard.press('Control+Enter');
  await page.locator('[data-step="8"]').waitFor();
  await page.getByTestId('write').waitFor();
  const before = page.url();
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await soon(async () => assert.equal(await page.getByTestId('fork-text').inputValue(), 'And the list?'));
  await soon(async () => assert.match(await page.getByTestId('fork-dialog').innerText(), /A new session begins with what happened before this message/));
  await page.getByTestId('fork-text').fill('');
  await page.keyboard.press('Control+Enter'); // nothing to say: it stays
  await page.getByTestId('fork-text').fill('And the other list?');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('forked-item').waitFor();
  await page.getByTestId('message').getByText('And the other list?').waitFor();
  await soon(async () => assert.equal(await page.getByText('And the list?').count(), 0));
  await soon(async () => assert.notEqual(page.url(), before));
  await page.getByTestId('write').waitFor();

  // the task itself begins anew
  const task1 = await page.getByTestId('task-bubble').innerText();
  await page.getByTestId('task-bubble').getByTestId('resend').focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('compose').waitFor();
  await soon(async () => assert.ok(task1.includes(await page.getByTestId('task-text').inputValue())));
  await page.getByText('A new task begins with this text').waitFor();
});

scene('a message is sent again with its pictures and another, and so is the task', 'speed=1000&scene=feature', async (page) => {
  await page.getByTestId('open-sample').click();
  await givePicture(page, 'task-text', 'task.png');
  await page.getByTestId('attached').waitFor();
  await page.getByTestId('start-task').click();
  await page.getByTestId('question-item').waitFor();
  await givePicture(page, 'say-text', 'answer.png');
  await page.getByTestId('say').getByTestId('attached').waitFor();
  await page.getByTestId('say-text').fill('Show it like this.');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('write').waitFor();

  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  const inDialog = page.getByTestId('fork-dialog').getByTestId('attached').locator('img');
  await inDialog.waitFor();
  await soon(async () => assert.equal(await inDialog.getAttribute('alt'), 'Picture 1: PNG, 240 × 120 pixels'));
  await givePicture(page, 'fork-text', 'more.png', 'drop');
  await inDialog.nth(1).waitFor();
  await page.getByTestId('fork-text').press('Control+Enter');
  await page.getByTestId('forked-item').waitFor();
  await page.getByTestId('message').getByTestId('said-pictures').locator('img').nth(1).waitFor();

  await page.getByTestId('write').waitFor();
  await page.getByTestId('task-bubble').getByTestId('resend').press('Enter');
  await page.getByTestId('compose').getByTestId('attached').locator('img').waitFor();
});

scene('a message to a run at work waits for its next step', 'speed=3', async (page) => {
  await task(page);
  await page.locator('[data-step="1"]').waitFor();
  await page.getByTestId('say-text').fill('Mind the empty order.');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('message').getByText('Mind the empty order.').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('say-text').inputValue(), ''));
  await soon(async () => assert.equal(await page.getByTestId('resend').count(), 0, 'nothing is said anew while it works'));
});

scene('a record of another tool is taken in, to look at only', '', async (page) => {
  await page.getByTestId('nav-sessions').click();
  await page.getByTestId('import-file').setInputFiles({ name: 'x.jsonl', mimeType: 'text/plain', buffer: Buffer.from('no json') });
  await page.getByText('line 1 is no JSON object').waitFor();
  await page.getByTestId('import-file').setInputFiles({ name: 'rollout.jsonl', mimeType: 'text/plain', buffer: Buffer.from('{}') });
  await page.getByTestId('imported-note').first().waitFor();
  await soon(async () => assert.equal(await page.getByTestId('resume').count(), 0));
});

scene('what the repository says to agents is shown before its first use', 'guides', async (page) => {
  await page.getByTestId('open-sample').click();
  const card = page.getByTestId('guides-new');
  await card.getByText('../AGENTS.md, CLAUDE.md').waitFor();
  await card.getByText('Money is counted in cents.').waitFor();
  await page.getByTestId('guides-leave').click();
  await page.getByTestId('guides').getByText('are not given to the model').waitFor();
  await page.getByTestId('guides-open').click();
  await page.getByTestId('guides-switch').click();
  await page.getByTestId('guides').getByText('are given to the model as data').waitFor();
  await soon(async () => assert.equal(await card.count(), 0));
});

scene('the built-in engine reads no guides, and what was refused in one folder is not said in the next', 'guides&engine', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.getByTestId('model-name').getByText('built-in engine').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('guides-new').count(), 0));
  await page.getByTestId('task-text').fill('a discount for members');
  await page.getByTestId('kind-picker').click();
  await page.locator('[data-kind="feature"]').click();
  await page.getByTestId('start-task').click();
  await page.getByTestId('task-error').getByText('cannot add a feature').waitFor();
  await page.keyboard.press('Control+o');
  await page.getByTestId('folder-path').fill('/home/ada/src/other');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'other' }).waitFor();
  await soon(async () => assert.equal(await page.getByTestId('task-error').count(), 0));
});

scene('a letter is a shortcut where a tick or a choice has the focus', 'speed=1000', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await page.getByTestId('hunk-tick').first().click();
  await page.keyboard.press('r');
  await page.getByTestId('reject-comment').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+,');
  await page.getByTestId('theme').getByText('Dark').click();
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page.getByTestId('sessions').waitFor();
});

scene('a run is paused and goes on', 'speed=20', async (page) => {
  await task(page);
  await page.getByTestId('pause').click();
  await page.getByTestId('pause').getByText('Go on').waitFor();
  await page.getByText('Paused', { exact: true }).first().waitFor();
  const steps = await page.locator('[data-step]').count();
  await page.waitForTimeout(1500);
  await soon(async () => assert.equal(await page.locator('[data-step]').count(), steps));
  await page.keyboard.press('h');
  await page.getByTestId('write').waitFor();
});

scene('the search says what it left out, and that a kind has no hit', '', async (page) => {
  await page.getByTestId('open-sample').click();
  await page.keyboard.press('Control+k');
  const told = page.getByTestId('search-told');
  await page.getByTestId('search-input').fill('city');
  await page.getByTestId('search-hit').first().waitFor();
  await soon(async () => assert.equal(await told.count(), 0));
  await page.getByTestId('search-input').fill('/city/');
  await told.getByText('The first 200, there may be more').waitFor();
  await soon(async () => assert.ok(await page.getByTestId('search-hit').count() > 0));
  await page.getByTestId('search-input').fill('symbol: MAX_RETRIES');
  await told.getByText('No definition of the folder is called "MAX_RETRIES"').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('search-hit').count(), 0));
});

scene('code that is indented with tabs keeps its columns, changed or not', 'tabs&speed=1000', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await page.locator('.cm-line').first().waitFor();
  for (const layout of ['side by side', 'unified']) {
    await soon(async () => {
      const uneven = await page.evaluate(() => {
        const at = new Map(); // editor and depth → where the code begins
        const bad = [];
        for (const line of document.querySelectorAll('.cm-line, .cm-deletedLine')) {
          const depth = /^\t*/.exec(line.textContent)[0].length;
          const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          let left = null;
          for (let seen = 0; left === null && walker.nextNode(); seen += walker.currentNode.length) {
            const i = depth - seen;
            if (i < 0 || i >= walker.currentNode.length) continue;
            const range = document.createRange();
            range.setStart(walker.currentNode, i);
            range.setEnd(walker.currentNode, i + 1);
            left = range.getBoundingClientRect().left - line.closest('.cm-content').getBoundingClientRect().left;
          }
          if (left === null || depth === 0) continue;
          if (!at.has(depth)) at.set(depth, left);
          if (Math.abs(at.get(depth) - left) > 1.5) bad.push(`${line.textContent.trim()}: ${left}, not ${at.get(depth)}`);
        }
        return { bad, depths: at.size };
      });
      assert.ok(uneven.depths >= 2, `${layout}: ${uneven.depths} depths`);
      assert.deepEqual(uneven.bad, [], layout);
    });
    await page.keyboard.press('d');
    if (layout === 'side by side') await page.locator('.cm-deletedLine').first().waitFor();
  }
});

scene('an interrupted session has a mark of its own in the lists, and goes on', 'interrupted', async (page) => {
  await page.getByTestId('nav-sessions').click();
  const row = page.getByTestId('session-row').filter({ hasText: 'Exports of last year' });
  await soon(async () => assert.match(await row.innerText(), /^○\nInterrupted:/));
  await row.click();
  await soon(async () => assert.match(await page.getByTestId('outcome-note').innerText(), /^Interrupted\n[\s\S]*Go on with it/));
});

scene('a session that plays again is not cancelled, also not where it asked', 'speed=1000&scene=feature', async (page) => {
  await task(page);
  await page.getByTestId('question-item').waitFor();
  await page.getByTestId('say-text').fill('Show it.');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('write').waitFor();
  await page.getByTestId('replay-begin').click();
  await page.getByTestId('replay-toggle').click();
  const place = page.getByTestId('replay-place');
  await place.fill('2');
  for (let at = 2; (await page.getByTestId('seal').getAttribute('data-state')) !== 'Asks you'; at++) {
    await soon(async () => assert.ok(at < Number(await place.getAttribute('max')), 'no place shows the question'));
    await place.fill(String(at));
    await page.waitForTimeout(20);
  }
  await page.keyboard.press('Control+.');
  await page.keyboard.press('Escape');
  await page.getByTestId('write').waitFor();
  await soon(async () => assert.equal(await page.getByTestId('review').getAttribute('data-outcome'), 'review'));
});

scene('keys lead through the trace to what failed, what was changed and what was asked, also where it is a drawer', 'speed=1000&scene=feature', async (page) => {
  await task(page);
  await page.getByTestId('question-item').waitFor();
  await page.getByTestId('say-text').fill('Show it.');
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('write').waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 900, height: 600 });
  await soon(async () => assert.equal(await page.getByTestId('trace').count(), 0));
  await page.keyboard.press('k');
  await page.locator('.item.lit').getByTestId('question-item').waitFor();
  await page.keyboard.press('m');
  const lit = () => page.locator('.item.lit').first().getAttribute('data-seq');
  await page.locator('.item.lit [data-testid=step]').waitFor();
  const first = await lit();
  await page.keyboard.press('m');
  await page.waitForFunction((was) => document.querySelector('.item.lit')?.dataset.seq !== was, first);
  await soon(async () => assert.ok(Number(await lit()) > Number(first), 'the second key does not go on'));
});

scene('a picture that the patch changes is drawn as it was and as it becomes', 'speed=1000&picture', async (page) => {
  await task(page);
  await page.getByTestId('write').waitFor();
  await page.getByTestId('file-tab').nth(2).click();
  const drawn = page.getByTestId('pictures').locator('img');
  await drawn.nth(1).waitFor();
  await soon(async () => assert.deepEqual(await drawn.evaluateAll((all) => Promise.all(all.map((i) => i.decode().then(() => [i.naturalWidth, i.alt])))), [[160, 'docs/seal.svg: Before'], [160, 'docs/seal.svg: After']]));
});
