// Runs test files on many versions of a tree in one process, for try_node.mjs: it is told a number and loads the files anew,
// with all of the tree that they import, and answers how each test ended.

import Module from 'node:module';

import { prepare } from './try_load.mjs';

const [, , root, dir, ...files] = process.argv;
const { shim, load } = await prepare(root, dir);

process.on('message', async ({ n }) => {
  for (const key of Object.keys(Module._cache)) if (key.startsWith(root) && !key.includes('/node_modules/')) delete Module._cache[key];
  const statuses = [];
  for (const file of files) {
    shim.begin((names, status) => { statuses.push([[file, ...names].join(' > '), status]); });
    await load(file, n);
  }
  process.send({ n, statuses });
});
process.send({ ready: true });
