// What an ellipsis cuts can be read on pointing at it: the whole text becomes the title for as long as it is cut.

const ours = new WeakSet<HTMLElement>();

export function showCut(e: Event): void {
  const el = e.target instanceof Element ? e.target.closest<HTMLElement>('.cut') : null;
  if (!el || (el.title && !ours.has(el))) return;
  const cut = el.scrollWidth > el.clientWidth;
  el.title = cut ? (el.textContent ?? '').trim() : '';
  ours.add(el);
}
