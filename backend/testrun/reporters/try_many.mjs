// Runs test files on many versions of a tree in one process, for try_node.mjs: it is told a number and loads the files anew,
// with all of the tree that they import, and answers how each test ended.

import Module, { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , root, dir, ...files] = process.argv;
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

process.on('message', async ({ n }) => {
  for (const key of Object.keys(Module._cache)) if (key.startsWith(root) && !key.includes('/node_modules/')) delete Module._cache[key];
  const statuses = [];
  for (const file of files) {
    shim.begin((names, status) => { statuses.push([[file, ...names].join(' > '), status]); });
    try {
      await import(`${pathToFileURL(path.join(dir, file)).href}?redgreen=${n}`);
    } catch { /* what was not reported counts as failed */ }
    await shim.end();
    await settled();
  }
  process.send({ n, statuses });
});
process.send({ ready: true });
