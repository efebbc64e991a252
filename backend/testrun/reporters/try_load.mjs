// What a process needs that loads the test files of a tree, for try_many.mjs and try_calls.mjs: our stand-in for node:test, and each
// version of a module anew.

import Module, { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Goes into a tree; shim is the stand-in, and load takes in a test file of a version by its number. */
export async function prepare(root, dir) {
  process.chdir(dir);
  register('./try_hooks.mjs', import.meta.url, { data: { root: pathToFileURL(root).href } });
  const shim = await import('./try_shim.mjs');
  const load = Module._load;
  Module._load = function (request, ...more) {
    return request === 'node:test' ? shim.default : load.call(this, request, ...more);
  };
  process.on('uncaughtException', shim.stray);
  process.on('unhandledRejection', shim.stray);
  const settled = () => new Promise((done) => { setImmediate(() => setImmediate(done)); });
  return {
    shim,
    async load(file, n) {
      try {
        await import(`${pathToFileURL(path.join(dir, file)).href}?redgreen=${n}`);
      } catch { /* what was not reported counts as failed */ }
      await shim.end();
      await settled();
    },
  };
}
