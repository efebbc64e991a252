import { svelte } from '@sveltejs/vite-plugin-svelte';
import { runnerImport, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

/** Writes the window's menu beside the page, for the Go side. */
const menu: Plugin = {
  name: 'menu',
  async generateBundle() {
    const { nativeMenu } = (await runnerImport<typeof import('./src/state/menu')>('./src/state/menu.ts')).module;
    const { en } = (await runnerImport<typeof import('./src/texts/en')>('./src/texts/en/index.ts')).module;
    this.emitFile({ type: 'asset', fileName: 'menu.json', source: JSON.stringify(nativeMenu(en)) });
  },
};

// safari17 is what WebKitGTK 2.50 and Chromium both understand; see the window's notes.
export default defineConfig({
  plugins: [svelte(), menu],
  base: './',
  build: { target: 'safari17', outDir: 'dist', emptyOutDir: true, chunkSizeWarningLimit: 700, reportCompressedSize: false },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
