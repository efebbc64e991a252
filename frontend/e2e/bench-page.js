// What e2e/bench.mjs measures, within the page and so in any engine: ?bench= names one row, and what it took is posted to ?report=.

const q = new URLSearchParams(location.search);
const byId = (id, root = document) => root.querySelector(`[data-testid="${id}"]`);
const frame = () => new Promise(requestAnimationFrame);
const rest = (ms) => new Promise((r) => setTimeout(r, ms));
const tell = (told) => fetch(q.get('report'), { method: 'POST', mode: 'no-cors', body: JSON.stringify(told) });
const mark = () => tell({ mark: true }); // from here on the processor's time counts
const median = (xs) => xs.toSorted((a, b) => a - b)[Math.floor(xs.length / 2)] ?? NaN;

async function until(what, found) {
  for (const end = performance.now() + 60_000; ; await frame()) {
    const x = found();
    if (x) return x;
    if (performance.now() > end) throw new Error(`waited a minute for ${what}`);
  }
}

/** painted is the time from act to the frame after done is true. */
async function painted(act, what, done) {
  const begun = performance.now();
  act();
  await until(what, done);
  await frame();
  return performance.now() - begun;
}

/** frames runs step once a frame for ms, and tells how many frames came and how many a screen of 60 Hz would have shown beside them. */
async function frames(ms, step) {
  const gaps = [];
  let last = await frame();
  const end = last + ms;
  while (last < end) {
    const now = await frame();
    gaps.push(now - last);
    last = now;
    step(now);
  }
  return { frames: gaps.length, dropped: gaps.reduce((n, g) => n + Math.max(0, Math.round(g / (1000 / 60)) - 1), 0), longest: Math.max(...gaps) };
}

/** scrolled scrolls a box for 4 s. */
async function scrolled(box) {
  await rest(500);
  let down = 1;
  await mark();
  return frames(4000, () => {
    const was = box.scrollTop;
    box.scrollTop += 40 * down; // 2,400 px, or 120 lines, a second
    if (box.scrollTop === was) down = -down;
  });
}

async function review() {
  (await until('the start', () => byId('open-sample'))).click();
  (await until('the task', () => byId('start-task'))).click();
  await until('the proof', () => byId('write'));
}
const bigFile = () => document.querySelector('[data-path="src/generated/table.ts"]')?.nextElementSibling;

async function openBig() {
  await review();
  (await until('the files', () => document.querySelectorAll('[data-testid="file-tab"]')[2])).click();
  await until('the long diff', () => bigFile()?.querySelector('.cm-changedLine'));
}

const rows = {
  async paint() {
    await until('the start', () => byId('start'));
    return { ms: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now() };
  },

  async session() {
    const row = await until('the long session', () => [...document.querySelectorAll('[data-testid="session-row"]')].find((r) => r.textContent.includes('events')));
    await mark();
    const ms = await painted(() => row.click(), 'its end', () => byId('end-item'));
    return { ms, nodes: document.querySelectorAll('*').length };
  },

  // Unified, then side by side again and again: the code is loaded and only the work of opening the diff is measured.
  async diff() {
    await openBig();
    const toggle = byId('diff-layout');
    const all = [];
    for (let i = 0; i < 5; i++) {
      if (i === 4) await rest(1500); // the last one's work is counted
      toggle.click();
      await until('the unified diff', () => bigFile().querySelector('.cm-changedLine, .cm-insertedLine') && !bigFile().querySelector('.cm-merge-a'));
      await rest(300);
      if (i === 4) await mark();
      all.push(await painted(() => toggle.click(), 'the diff', () => bigFile().querySelector('.cm-merge-a .cm-changedLine')));
    }
    return { ms: median(all), least: Math.min(...all) };
  },

  // The control: what the engine needs on this machine to scroll as many lines of plain text, and to scroll nothing.
  async plain() {
    await until('the start', () => byId('start'));
    const box = document.createElement('pre');
    box.textContent = q.has('empty') ? '' : Array.from({ length: 20_000 }, (_, i) => `${i}  const row${i} = { id: ${i}, name: "item ${i}" };`).join('\n');
    box.style.cssText = 'margin: 0; height: 100vh; overflow: auto; font: 12px/19.5px monospace; background: #fff; color: #222';
    document.body.replaceChildren(box);
    return scrolled(box);
  },

  async scroll() {
    await openBig();
    const box = byId('diff');
    const head = document.querySelector('[data-path="src/generated/table.ts"]');
    if (q.has('whole')) [...head.querySelectorAll('button')].find((b) => b.getAttribute('aria-pressed') === 'false').click();
    await rest(1500);
    box.scrollTop = head.offsetTop;
    return scrolled(box);
  },

  async deltas() {
    (await until('the start', () => byId('open-sample'))).click();
    (await until('the task', () => byId('start-task'))).click();
    await until('the trace', () => byId('task-bubble'));
    const id = decodeURIComponent(location.hash.replace('#/session/', ''));
    await mark();
    let given = 0;
    const begun = performance.now();
    const timer = setInterval(() => {
      const due = Math.round(performance.now() - begun); // a thousand a second
      window.fakeFlood(id, 1, due - given);
      given = due;
    }, 30);
    const r = await frames(4000, () => {});
    clearInterval(timer);
    return { ...r, given };
  },
};

const told = await rows[q.get('bench')]().catch((e) => ({ error: String(e) }));
await tell(told);
