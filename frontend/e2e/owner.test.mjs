// A window and a terminal on one session: one has it, the other follows, live and read only.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import { launch, open, picture, soon } from './browser.mjs';
import { start } from './serve.mjs';

let server, browser;
const children = [];

before(async () => {
  server = await start();
  browser = await launch();
});
after(async () => {
  for (const c of children) c.kill('SIGKILL');
  await browser?.close();
  await server?.stop();
});

/** terminal runs the program on the home of the window; answer types a line, ended gives its exit code. */
function terminal(...args) {
  const child = spawn(process.env.REDGREEN_BIN, args, { env: { ...process.env, REDGREEN_HOME: server.home }, stdio: ['pipe', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  child.stdout.on('data', (d) => (said += d));
  child.stderr.on('data', (d) => (said += d));
  const ended = new Promise((r) => child.once('exit', r));
  const until = async (what) => {
    for (let i = 0; !what.test(said); i++) {
      if (i > 2400 || child.exitCode !== null) throw new Error(`the terminal did not say ${what}:\n${said}`);
      await new Promise((r) => setTimeout(r, 100));
    }
  };
  return { pid: child.pid, answer: (line) => child.stdin.write(`${line}\n`), until, ended, said: () => said };
}

test('one owner, the other follows', { timeout: 600_000 }, async (t) => {
  if (!process.env.REDGREEN_BIN) return t.skip('needs the program');
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const { page, check } = await open(context, server.url);
  try {
    await page.getByTestId('compose').waitFor();
    const sample = await page.evaluate(async () => {
      const models = await window.go.app.App.Models();
      return { path: (await window.go.app.App.Boot()).sample.path, model: models.models.find((m) => m.provider === 'script').ref };
    });
    const fix = terminal('fix', sample.path, '-m', 'an order without an address fails', '--model', sample.model, '--approve', 'ask');

    // The window sees it begin, without a reload, and who has it.
    await page.getByTestId('nav-sessions').click();
    await fix.until(/session \d{8}-/);
    const row = page.getByTestId('session-row').first();
    for (let i = 0; (await row.count()) === 0 && i < 20; i++) {
      await page.reload();
      await page.getByTestId('nav-sessions').click();
      await row.waitFor({ timeout: 3000 }).catch(() => {});
    }
    await soon(async () => assert.match(await row.innerText(), /Running, in a terminal/));
    await row.click();
    const note = page.getByTestId('elsewhere-note');
    await note.waitFor();
    await soon(async () => assert.match(await note.innerText(), /A terminal has this session[\s\S]*Process \d+ took it just now/));
    await page.locator('[data-testid="call"][data-tool="run_tests"]').first().waitFor();

    // The terminal asks; here nothing can be decided.
    await fix.until(/into .*\? \[y\/N/);
    await page.getByTestId('proof-item').waitFor();
    await page.getByTestId('follow-hint').waitFor();
    await soon(async () => assert.equal(await page.getByTestId('write').count(), 0));
    await soon(async () => assert.equal(await page.getByTestId('reject').count(), 0));
    await soon(async () => assert.ok(await page.getByTestId('say-text').isDisabled()));
    await page.keyboard.press('Control+Shift+Enter');
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT });
    const id = decodeURIComponent(new URL(page.url()).hash.replace('#/session/', ''));
    await soon(async () => assert.match(await page.evaluate((s) => window.go.app.App.Undo(s, false).then(() => 'taken back', (e) => e.message ?? String(e)), id), /a terminal \(process \d+/));

    // Suspended, it is said to be silent; it goes on and answers again.
    process.kill(fix.pid, 'SIGSTOP');
    await page.getByText(/last gave a sign of life.*may be suspended/).waitFor({ timeout: 60_000 });
    if (process.env.SHOT) await page.screenshot({ path: process.env.SHOT.replace('.png', '-silent.png') });
    process.kill(fix.pid, 'SIGCONT');
    await page.getByText(/You follow it here, live and read only/).waitFor({ timeout: 60_000 });

    // It gives the session up; the window may go on at once.
    fix.answer('n');
    assert.equal(await fix.ended, 0, fix.said());
    await page.getByTestId('write').click();
    await page.getByTestId('undo').waitFor();

    // The other way round: a session at work in the window, followed in a terminal.
    await page.getByTestId('undo').click();
    await page.getByText('Write it again').waitFor();
    await page.getByTestId('new-task').click();
    await page.getByTestId('model-picker').click();
    await page.locator('[data-testid="model-choice"][data-ref^="script/"]').click();
    await page.getByTestId('task-text').fill('an order without an address fails');
    await page.getByTestId('start-task').click();
    await page.waitForURL(/#.session./);
    const other = decodeURIComponent(new URL(page.url()).hash.replace('#/session/', ''));
    const show = terminal('sessions', 'show', other, '--follow');
    await show.until(/a window in a browser \(process \d+.*you follow it here, read only/);
    const write = terminal('sessions', 'approve', other, '--yes');
    assert.equal(await write.ended, 2);
    assert.match(write.said(), /a window in a browser \(process \d+.*--follow/);
    await show.until(/proven/);
    await page.getByTestId('write').click();
    await page.getByTestId('undo').waitFor();
    assert.equal(await show.ended, 0, show.said());
    assert.match(show.said(), /wrote /);
    check();
  } catch (e) {
    await picture(page, 'owner');
    throw e;
  }
});
