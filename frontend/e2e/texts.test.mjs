// No text is cut in a language with longer words: every view and dialog in the pseudo-locale, whose texts are 40 % longer.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open, picture, soon } from './browser.mjs';
import { scenes } from './scenes.mjs';
import { memory } from './serve.mjs';

const sizes = [[900, 600], [1366, 768]];
let server, browser;

before(async () => {
  server = await memory();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

/** fits holds that no text is cut in a scene, at each of the sizes. */
function fits(title, name, sizes, locale) {
  const s = scenes[name];
  test(title, { timeout: 180_000 }, async () => {
    const context = await browser.newContext({ viewport: { width: sizes[0][0], height: sizes[0][1] }, reducedMotion: 'reduce' });
    const { page, check } = await open(context, `${server.url}?fake&theme=light${locale}${s.query}`);
    try {
      await page.getByTestId('start').waitFor();
      await s.go(page);
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(300); // a text that is cut may come late; one that is not cut any more, too
        await soon(async () => assert.deepEqual(await page.evaluate(cut), [], `at ${width}×${height}`), 10_000);
      }
      check();
    } catch (e) {
      await picture(page, `texts-${name}-${sizes[0][0]}`);
      throw e;
    } finally {
      await context.close();
    }
  });
}

for (const name of Object.keys(scenes)) fits(`nothing is cut in ${name}`, name, sizes, '&locale=pseudo');

// A browser may be narrower than the window can be.
const main = ['start', 'first', 'compose', 'running', 'review', 'notproven', 'hunks', 'stale', 'written', 'question', 'limit', 'error', 'resume', 'replay', 'sessions', 'settings', 'doctor', 'spending', 'search', 'help', 'ask', 'reject', 'confirm'];
for (const name of main) fits(`nothing is cut in ${name}, 480 px wide`, name, [[480, 800], [640, 800]], '');

test('what is cut is found', async () => {
  const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
  const cases = {
    'cut:': '<div style="width:40px;overflow:hidden;white-space:nowrap">far too long for it</div>',
    'cut in height:': '<div style="width:60px;height:14px;overflow:hidden">far too long for it</div>',
    'cut, and no title:': '<div style="width:60px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap">far too long for it</div>',
    'next to nothing is left:': '<div style="width:20px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap" title="x">far too long for it</div>',
    'sticks out:': '<div style="width:60px"><button style="white-space:nowrap">far too long for it</button></div>',
    'sticks out in height:': '<div style="width:60px;height:14px">far too long for it</div>',
    'lies over': '<div>one</div><div style="margin-top:-14px">two</div>',
    'beyond the window:': '<div style="position:fixed;left:880px;white-space:nowrap">far too long for it</div>',
    'a field is too narrow:': '<input style="width:60px" placeholder="⟦far too long for it⟧">',
    'a placeholder is cut:': '<textarea rows="1" style="width:100px" placeholder="⟦far too long for it, and longer⟧"></textarea>',
    'scrolls sideways': '<main style="width:60px;overflow:auto;white-space:nowrap">far too long for it</main>',
    'px wider than the window': '<div style="width:1000px">x</div>',
  };
  for (const [what, html] of Object.entries(cases)) {
    await page.setContent(html);
    const found = await page.evaluate(cut);
    assert.ok(found.some((f) => f.includes(what)), `${what} is not among ${JSON.stringify(found)}`);
  }
  await page.setContent('<main style="width:200px"><p>This fits.</p><p style="width:60px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap" title="told">told in its title</p><button>OK</button></main>');
  assert.deepEqual(await page.evaluate(cut), []);
  await page.close();
});

/** cut runs in the page and tells which texts are cut, stick out of what holds them, or lie over each other. */
function cut() {
  const found = new Set();
  const tell = (what, el, text) => found.add(`${what}: “${text.trim().slice(0, 60)}” in ${path(el)}`);
  const path = (el) => [el.parentElement, el].filter(Boolean).map((e) => `${e.tagName.toLowerCase()}${e.dataset.testid ? `#${e.dataset.testid}` : ''}${[...e.classList].filter((c) => !c.startsWith('svelte-')).map((c) => `.${c}`).join('')}`).join(' > ');
  const clips = (v) => v === 'hidden' || v === 'clip';
  const scrolls = (v) => v === 'auto' || v === 'scroll';
  // What only a screen reader is to find is clipped to nothing.
  const hidden = (el) => !el.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || getComputedStyle(el).clipPath === 'inset(50%)' || !!el.closest('.sr-only, .cm-editor .cm-content, [aria-hidden="true"] canvas, canvas');
  /** told: what an ellipsis cuts can be read on pointing at it. */
  const told = (el) => {
    el.dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    return !!el.closest('[title]')?.title;
  };

  /** seen is the part of a box that nothing around it cuts. */
  function seen(box, from) {
    let { left, top, right, bottom } = box;
    for (let el = from; el; el = el.parentElement) {
      const style = getComputedStyle(el);
      if (style.display === 'inline' || (style.overflowX === 'visible' && style.overflowY === 'visible')) continue;
      const r = el.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, r.left), Math.max(top, r.top), Math.min(right, r.right), Math.min(bottom, r.bottom)];
    }
    return { left, top, right, bottom };
  }

  /** place follows a box outwards through all that could cut it; slack is what may stick out, in px. */
  function place(box, from, text, slack = 1.5) {
    let inWindow = true;
    let [x, y] = [true, true]; // whether it must fit the next one out
    for (let el = from; el && el !== document.documentElement; el = el.parentElement) {
      const style = getComputedStyle(el);
      if (style.display === 'contents' || style.display === 'inline') continue;
      const r = el.getBoundingClientRect();
      const wide = box.left < r.left - slack || box.right > r.right + slack;
      const high = box.top < r.top - slack - 2 || box.bottom > r.bottom + slack + 2;
      if (scrolls(style.overflowX)) x = false;
      if (scrolls(style.overflowY)) y = false;
      if (x && wide) {
        if (clips(style.overflowX) && style.textOverflow === 'ellipsis') {
          if (r.width < 32) tell('next to nothing is left', el, text);
          else if (!told(el)) tell('cut, and no title', el, text);
          return;
        }
        return tell(clips(style.overflowX) ? 'cut' : 'sticks out', el, text);
      }
      if (y && high) {
        if (clips(style.overflowY) && style.webkitLineClamp !== 'none') {
          if (!told(el)) tell('cut, and no title', el, text);
          return;
        }
        return tell(clips(style.overflowY) ? 'cut in height' : 'sticks out in height', el, text);
      }
      if (!x && !y) return;
      if (style.position === 'absolute' || style.position === 'fixed') {
        // Out of the flow: only the window holds it, and what scrolls around it.
        inWindow = style.position === 'fixed' || !el.parentElement?.closest('main');
        break;
      }
    }
    if (x && (box.left < -1 || box.right > innerWidth + 1)) tell('beyond the window', from, text);
    if (y && inWindow && (box.top < -1 || box.bottom > innerHeight + 1)) tell('beyond the window in height', from, text);
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const boxes = [];
  for (let n = texts.nextNode(); n; n = texts.nextNode()) {
    const el = n.parentElement;
    if (!n.data.trim() || hidden(el) || el.closest('option, script, style')) continue;
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) {
      if (r.width < 2 || r.height < 2) continue;
      // The number of a step may reach into the margin; a blank at a line's end hangs over it.
      place(r, el, n.data, /^\d+$/.test(n.data.trim()) ? 12 : getComputedStyle(el).whiteSpaceCollapse === 'preserve' ? 6 : 1.5);
      boxes.push({ r: seen(r, el), el, text: n.data });
    }
  }
  for (const el of document.querySelectorAll('button, input, select, textarea, a')) {
    const r = el.getBoundingClientRect();
    // A row may reach a little beyond its text's edge, to have room for its colour.
    if (r.width > 0 && !hidden(el) && !el.closest('label')) place(r, el.parentElement, el.textContent || el.ariaLabel || el.tagName, 12);
  }

  // What a field says while it is empty, and what a choice says.
  const ruler = document.createElement('canvas').getContext('2d');
  for (const el of document.querySelectorAll('input, textarea, select')) {
    if (hidden(el) || ['checkbox', 'radio', 'range', 'file'].includes(el.type)) continue;
    const text = el.tagName === 'SELECT' ? (el.selectedOptions[0]?.textContent ?? '') : el.value === '' ? el.placeholder : '';
    if (!/⟦/.test(text)) continue; // a value, or an example of one
    const style = getComputedStyle(el);
    ruler.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    const room = el.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - (el.tagName === 'SELECT' ? 20 : 0);
    const need = ruler.measureText(text).width;
    if (el.tagName === 'TEXTAREA') {
      const lines = Math.ceil((need * 1.08) / room); // words do not fill a line
      const line = parseFloat(style.lineHeight) || parseFloat(style.fontSize) * 1.46;
      if (lines * line > el.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom) + 2) tell('a placeholder is cut', el, text);
    } else if (need > room + 1 && !told(el)) tell('a field is too narrow', el, text);
  }

  // Texts over each other, within what lies in one layer.
  const layer = (el) => {
    for (let e = el; e; e = e.parentElement) if (['absolute', 'fixed', 'sticky'].includes(getComputedStyle(e).position)) return e;
    return null;
  };
  const flat = boxes.filter((b) => b.r.right - b.r.left > 2 && b.r.bottom - b.r.top > 2).map((b) => ({ ...b, layer: layer(b.el) }));
  for (let i = 0; i < flat.length; i++) {
    for (let j = i + 1; j < flat.length; j++) {
      const [a, b] = [flat[i], flat[j]];
      if (a.layer !== b.layer || a.el === b.el) continue;
      const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
      const h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
      if (w > 3 && h > 5) tell(`lies over “${b.text.trim().slice(0, 40)}”`, a.el, a.text);
    }
  }

  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.add(`the page is ${wide} px wider than the window`);
  for (const el of document.querySelectorAll('body *')) {
    // Files of a diff are tabs, and code may be as wide as it is; nothing else is to be pushed aside to be read.
    if (hidden(el) || el.closest('pre, code, .files, .cm-editor') || !scrolls(getComputedStyle(el).overflowX)) continue;
    if (el.scrollWidth - el.clientWidth > 1) found.add(`${path(el)} scrolls sideways by ${el.scrollWidth - el.clientWidth} px`);
  }
  return [...found];
}
