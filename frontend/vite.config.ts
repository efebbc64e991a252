import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// safari17 is what WebKitGTK 2.50 and Chromium both understand; see the window's notes.
export default defineConfig({
  plugins: [svelte()],
  base: './',
  build: { target: 'safari17', outDir: 'dist', emptyOutDir: true, chunkSizeWarningLimit: 700, reportCompressedSize: false },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});
