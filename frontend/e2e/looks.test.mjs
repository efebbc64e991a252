// How the five views look, light and dark, held against the pictures in e2e/looks. A change that is meant is taken over with
// UPDATE=1 node --test e2e/looks.test.mjs, and looked at in the commit. The clock stands still, the page brings its fonts, and
// the system does not say how letters are smoothed: the pictures are the same on another machine.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { launch, open } from './browser.mjs';
import { scenes } from './scenes.mjs';
import { memory } from './serve.mjs';

const views = ['start', 'review', 'sessions', 'settings', 'doctor'];
const size = { width: 1280, height: 620 };
const most = 60; // pixels that may differ: fewer than any letter has; the edges of letters, which pixelmatch knows, are not counted
const patience = 45_000; // until a view looks as it should: code is coloured late on a busy machine
const place = new URL('looks/', import.meta.url);
const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  ${['pattern', 'font'].map((t) => `<match target="${t}">
    <edit name="hinting" mode="assign"><bool>false</bool></edit><edit name="autohint" mode="assign"><bool>false</bool></edit>
    <edit name="hintstyle" mode="assign"><const>hintnone</const></edit><edit name="antialias" mode="assign"><bool>true</bool></edit>
    <edit name="rgba" mode="assign"><const>none</const></edit>
  </match>`).join('\n')}
</fontconfig>`;
let server, browser, home;

before(async () => {
  server = await memory();
  home = mkdtempSync(join(tmpdir(), 'redgreen-looks-'));
  writeFileSync(join(home, 'fonts.conf'), fonts);
  browser = await launch({ FONTCONFIG_FILE: join(home, 'fonts.conf') });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** pack makes a picture small: 64 shades of each colour, and packed as flat colours are packed best. */
function pack(picture) {
  const p = PNG.sync.read(picture);
  for (let i = 0; i < p.data.length; i++) if (i % 4 < 3) p.data[i] = Math.min(255, Math.round(p.data[i] / 4) * 4);
  return PNG.sync.write(p, { colorType: 2, deflateLevel: 9, deflateStrategy: 0, filterType: 0 });
}

/** compare counts the pixels that two pictures do not share, and draws them. */
function compare(is, was) {
  const [a, b] = [PNG.sync.read(pack(is)), PNG.sync.read(was)];
  const drawn = new PNG({ width: a.width, height: a.height });
  const same = a.width === b.width && a.height === b.height;
  return { differ: same ? pixelmatch(a.data, b.data, drawn.data, a.width, a.height, { threshold: 0.03 }) : Infinity, drawn: PNG.sync.write(drawn) };
}

/** settled is a picture that two looks in a row agree on. */
async function settled(page) {
  for (let last = await page.screenshot({ animations: 'disabled' }); ; ) {
    await page.waitForTimeout(500);
    const now = await page.screenshot({ animations: 'disabled' });
    if (now.equals(last)) return now;
    last = now;
  }
}

/** redraw lays the choices out anew: on a busy machine Chromium may draw one before its font is there, and leave it so. */
async function redraw() {
  await document.fonts.ready;
  for (const el of document.querySelectorAll('select')) {
    el.style.display = 'none';
    void el.offsetWidth;
    el.style.display = '';
  }
}

/** hold compares a page with its picture until they are alike, or patience ends. */
async function hold(page, name) {
  const file = new URL(`${name}.png`, place);
  if (process.env.UPDATE) return writeFileSync(file, pack(await settled(page)));
  const was = readFileSync(file);
  const until = Date.now() + patience;
  for (;;) {
    const is = await settled(page);
    const { differ, drawn } = compare(is, was);
    if (differ <= most) return;
    if (Date.now() < until) {
      await page.evaluate(redraw);
      continue;
    }
    mkdirSync('test-results', { recursive: true });
    writeFileSync(`test-results/${name}-is.png`, is);
    writeFileSync(`test-results/${name}-differs.png`, drawn);
    assert.fail(`${name} looks different in ${differ} pixels: see test-results/${name}-is.png and -differs.png; if it is meant, run UPDATE=1 node --test e2e/looks.test.mjs`);
  }
}

for (const theme of ['light', 'dark']) {
  for (const name of views) {
    test(`${name} looks as before, ${theme}`, { timeout: 180_000 }, async () => {
      const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' });
      try {
        const { page } = await open(context, 'about:blank');
        await page.clock.setFixedTime('2026-01-05T10:00:00Z');
        await page.goto(`${server.url}?fake&theme=${theme}${scenes[name].query}`);
        await page.getByTestId('start').waitFor();
        await scenes[name].go(page);
        await page.evaluate(() => document.fonts.ready);
        await page.mouse.move(640, 4);
        await hold(page, `${name}-${theme}`);
      } finally {
        await context.close();
      }
    });
  }
}

test('a view that changed in one word does not look as before', async () => {
  const page = await browser.newPage({ viewport: { width: 300, height: 60 } });
  await page.setContent('<p style="font: 13px sans-serif">Write 2 files</p>');
  const was = pack(await page.screenshot());
  assert.equal(compare(await page.screenshot(), was).differ, 0);
  await page.setContent('<p style="font: 13px sans-serif">Write 3 files</p>');
  assert.ok(compare(await page.screenshot(), was).differ > 0);
  await page.setContent('<p style="font: 13px sans-serif; color: #444">Write 2 files</p>');
  assert.ok(compare(await page.screenshot(), was).differ > 0);
  await page.close();
});
