// What the drivers of node:test share: their order, their sealed report, and copies of the folder.

import { createHmac } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const reportFile = process.env.REDGREEN_REPORT;
const key = fs.readFileSync(`${reportFile}.key`);
fs.unlinkSync(`${reportFile}.key`);
export const order = JSON.parse(fs.readFileSync(process.env.REDGREEN_TRY, 'utf8'));
export const env = { ...process.env };
delete env.REDGREEN_REPORT;
delete env.REDGREEN_TRY;
const here = process.cwd();
const root = '/workspace';
let seal = '';

export function write(event) {
  const text = JSON.stringify(event);
  seal = createHmac('sha256', key).update(seal + text).digest('hex');
  fs.appendFileSync(reportFile, `${seal} ${text}\n`);
}

/** A copy of the folder; what others installed is linked to, not copied. */
export function copy(to) {
  const links = (from, target) => {
    fs.mkdirSync(target, { recursive: true });
    for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
      const a = path.join(from, entry.name);
      const b = path.join(target, entry.name);
      if (entry.name === 'node_modules' || entry.name === '.git') fs.symlinkSync(a, b);
      else if (entry.isDirectory()) links(a, b);
      else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(a), b);
      else if (entry.isFile()) fs.copyFileSync(a, b);
    }
  };
  links(root, to);
  return { root: to, dir: path.join(to, path.relative(root, here)), changed: [] };
}

export function lay(tree, versions) {
  for (const p of tree.changed) fs.copyFileSync(path.join(root, p), path.join(tree.root, p));
  tree.changed = Object.keys(versions);
  for (const [p, text] of Object.entries(versions)) fs.writeFileSync(path.join(tree.root, p), text);
}
