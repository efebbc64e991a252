// Hooks of the import system for try_many.mjs: the modules of a version have its number in their address, so that each version
// is loaded anew, and node:test is our stand-in.

const shim = new URL('try_shim.mjs', import.meta.url).href;
let root = '';

export function initialize(data) {
  root = data.root;
}

export async function resolve(specifier, context, next) {
  if (specifier === 'node:test') return { url: shim, shortCircuit: true };
  if (specifier === 'real:node:test') return { url: 'node:test', shortCircuit: true };
  const found = await next(specifier, context);
  const version = /[?&]redgreen=\d+$/.exec(context.parentURL ?? '')?.[0].slice(1);
  if (!version || !found.url.startsWith(root) || found.url.includes('/node_modules/') || found.url.includes('redgreen=')) return found;
  return { ...found, url: `${found.url}${found.url.includes('?') ? '&' : '?'}${version}` };
}
