// The README's pictures, of the real program on its sample: REDGREEN_BIN=… node e2e/pictures.mjs OUT

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, open } from './browser.mjs';
import { start } from './serve.mjs';

const out = process.argv[2] ?? '../build/docs';
mkdirSync(out, { recursive: true });
const server = await start();
const browser = await launch();
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
  const { page } = await open(context, server.fake ? `${server.url}?fake&speed=20` : server.url);
  await page.getByTestId('start').or(page.getByTestId('compose')).first().waitFor();
  await page.getByTestId('home').click();
  await page.getByTestId('open-sample').click();
  await page.getByTestId('start-task').click();
  await page.getByTestId('write').waitFor({ timeout: 600_000 });
  await page.locator('.cm-merge-b .cm-changedLine').first().waitFor();
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    await page.mouse.move(720, 860);
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(out, `window-${theme}.png`) });
  }
} finally {
  await browser.close();
  await server.stop();
}
