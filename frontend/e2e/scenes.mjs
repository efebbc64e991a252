// Every view and dialog, for screenshots and for the test of the texts.

const startTask = async (p) => {
  await p.getByTestId('open-sample').click();
  await p.getByTestId('start-task').click();
};
const review = async (p) => {
  await startTask(p);
  await p.getByTestId('write').waitFor();
  await p.waitForTimeout(700);
};

const carry = (p) => p.evaluate(() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(['x'], 'run.log'));
  document.querySelector('[data-testid=start]').dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer }));
});
/** givePicture pastes or drops a picture of a small window into a message's field. */
export const givePicture = (p, field, name, how = 'paste') => p.getByTestId(field).evaluate(async (el, [name, how]) => {
  const c = Object.assign(document.createElement('canvas'), { width: 240, height: 120 });
  const g = c.getContext('2d');
  [['#f3f3f0', 0, 0, 240, 120], ['#c9c9c2', 0, 0, 240, 18], ['#d0463a', 16, 36, 120, 10], ['#8a8a84', 16, 58, 190, 8], ['#8a8a84', 16, 76, 150, 8]].forEach(([colour, ...at]) => { g.fillStyle = colour; g.fillRect(...at); });
  const data = new DataTransfer();
  data.items.add(new File([await new Promise((r) => c.toBlob(r))], name, { type: 'image/png' }));
  const init = { bubbles: true, cancelable: true };
  el.dispatchEvent(how === 'paste' ? new ClipboardEvent('paste', { ...init, clipboardData: data }) : new DragEvent('drop', { ...init, dataTransfer: data }));
}, [name, how]);
const choose = async (p, provider) => { await p.getByTestId('model-picker').click(); await p.locator(`[data-testid="model-choice"][data-ref^="${provider}/"]`).click(); };

/** scenes lead to every view and dialog, with the in-memory backend: a query for the page, and the way there. No step depends on a word of the page. */
export const scenes = {
  start: { query: '', go: async (p) => p.getByTestId('recent-folder').first().waitFor() },
  drop: { query: '&window', go: async (p) => { await p.getByTestId('recent-folder').first().waitFor(); await carry(p); await p.getByTestId('drop-target').waitFor(); } },
  dropoffer: { query: '&window', go: async (p) => { await carry(p); await p.evaluate(() => window.dispatchEvent(new CustomEvent('redgreen-drop', { detail: { x: 9, y: 300, items: [{ path: '/home/ada/logs/run.log', kind: 'file', folder: '/home/ada/logs' }] } }))); await p.getByTestId('drop-offer').waitFor(); } },
  first: { query: '&blank', go: async (p) => p.getByTestId('first-run').waitFor() },
  compose: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.waitForTimeout(1900); } },
  guides: { query: '&guides', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('guides-new').waitFor(); await p.waitForTimeout(1900); } },
  guided: { query: '&guides', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('guides-leave').click(); await p.getByTestId('guides-open').click(); await p.waitForTimeout(1900); } },
  running: { query: '&speed=1', go: async (p) => { await startTask(p); await p.locator('[data-step="2"]').waitFor(); await p.waitForTimeout(60); } },
  suite: { query: '&scene=slow', go: async (p) => { await startTask(p); await p.getByTestId('testing').waitFor(); await p.waitForTimeout(2000); } },
  proving: { query: '&scene=slow&speed=2', go: async (p) => { await startTask(p); await p.getByTestId('diff').waitFor(); await p.getByTestId('testing').waitFor({ timeout: 30_000 }); await p.waitForTimeout(1000); } },
  paused: { query: '&speed=20', go: async (p) => { await startTask(p); await p.getByTestId('pause').click(); await p.waitForTimeout(900); } },
  writing: { query: '&speed=3', go: async (p) => { await startTask(p); await p.getByTestId('diff').waitFor(); await p.waitForTimeout(900); } },
  review: { query: '&speed=1000', go: review },
  tests: { query: '&speed=1000&scene=tests', go: async (p) => { await review(p); if (await p.getByTestId('evidence-toggle').count()) await p.getByTestId('evidence-toggle').click(); } },
  notproven: { query: '&speed=1000&scene=not_proven', go: review },
  confirm: { query: '&speed=1000&scene=not_proven', go: async (p) => { await review(p); await p.getByTestId('write').click(); await p.getByTestId('confirm-write').waitFor(); } },
  stale: { query: '&speed=1000&scene=stale', go: review },
  unified: { query: '&speed=1000', go: async (p) => { await review(p); await p.keyboard.press('d'); await p.waitForTimeout(400); } },
  open: { query: '&speed=1000', go: async (p) => { await review(p); if (await p.getByTestId('trace-toggle').count()) await p.getByTestId('trace-toggle').click(); await p.locator('[data-tool="run_tests"] summary').first().click(); await p.waitForTimeout(200); } },
  hunks: { query: '&speed=1000&scene=hunks', go: async (p) => { await review(p); await p.getByTestId('hunk-drop').first().click(); await p.getByTestId('hunk-comment').nth(1).click(); await p.getByTestId('hunk-note').fill('Why not return an error here?'); await p.waitForTimeout(300); } },
  edit: { query: '&speed=1000', go: async (p) => { await review(p); await p.getByTestId('hunk-edit').first().click(); await p.getByTestId('edit-in-place').waitFor(); await p.waitForTimeout(300); await p.keyboard.type('  # mine'); await p.waitForTimeout(300); } },
  chosen: { query: '&speed=1000&scene=hunks', go: async (p) => { await review(p); await p.getByTestId('hunk-drop').first().click(); await p.getByTestId('prove-choice').click(); await p.getByTestId('write').waitFor(); await p.waitForTimeout(400); } },
  mention: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('task-text').fill(''); await p.getByTestId('task-text').pressSequentially('The list is wrong, see @inv'); await p.getByTestId('mentions').waitFor(); } },
  attached: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await choose(p, 'anthropic'); await givePicture(p, 'task-text', 'error.png'); await p.getByTestId('attached-sent').waitFor(); await p.waitForTimeout(1900); } },
  unattached: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await choose(p, 'script'); await givePicture(p, 'task-text', 'error.png'); await p.getByTestId('attached-refused').waitFor(); await p.waitForTimeout(1900); } },
  shown: { query: '&speed=5', go: async (p) => { await p.getByTestId('open-sample').click(); await givePicture(p, 'task-text', 'error.png'); await p.getByTestId('attached').waitFor(); await p.getByTestId('start-task').click(); await p.getByTestId('said-pictures').locator('img').waitFor(); await p.getByTestId('pause').click(); await givePicture(p, 'say-text', 'more.png'); await p.getByTestId('attached').waitFor(); await p.getByTestId('say-text').fill('Like here'); await p.waitForTimeout(900); } },
  plots: { query: '&speed=1000', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').nth(2).click(); await p.getByTestId('plots').click(); await p.locator('[data-testid=plot] canvas').first().waitFor(); await p.waitForTimeout(300); } },
  long: { query: '&long=2500', go: async (p) => { await p.getByTestId('session-row').filter({ hasText: 'events' }).click(); await p.getByTestId('end-item').waitFor(); await p.waitForTimeout(300); } },
  written: { query: '&speed=1000', go: async (p) => { await review(p); await p.getByTestId('write').click(); await p.getByTestId('undo').waitFor(); } },
  feature: { query: '&speed=1000&scene=feature', go: async (p) => { await startTask(p); await p.getByTestId('question-item').waitFor(); await p.getByTestId('say-text').fill('Show it.'); await p.keyboard.press('Control+Enter'); await p.getByTestId('write').waitFor(); await p.waitForTimeout(700); } },
  question: { query: '&speed=1000&scene=feature', go: async (p) => { await startTask(p); await p.getByTestId('question-item').waitFor(); await p.waitForTimeout(300); } },
  explain: { query: '&speed=1000&scene=explain', go: async (p) => { await startTask(p); await p.getByTestId('end-item').waitFor(); } },
  limit: { query: '&speed=1000&scene=limit', go: async (p) => { await startTask(p); await p.getByTestId('outcome-note').waitFor(); } },
  error: { query: '&speed=20&scene=error', go: async (p) => { await startTask(p); await p.getByTestId('end-item').waitFor(); } },
  sessions: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').first().waitFor(); } },
  picture: { query: '&speed=1000&picture', go: async (p) => { await review(p); await p.getByTestId('file-tab').nth(2).click(); await p.getByTestId('pictures').waitFor(); await p.waitForTimeout(300); } },
  interrupted: { query: '&interrupted', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').nth(4).waitFor(); } },
  resume: { query: '&interrupted', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').nth(4).click(); await p.getByTestId('outcome-note').waitFor(); } },
  settings: { query: '', go: async (p) => p.getByTestId('nav-settings').click() },
  models: { query: '', go: async (p) => { await p.getByTestId('nav-settings').click(); await p.getByTestId('provider-anthropic').locator('summary').click(); await p.getByTestId('probe-open').scrollIntoViewIfNeeded(); } },
  probe: { query: '', go: async (p) => { await p.getByTestId('nav-settings').click(); await p.getByTestId('probe-open').click(); await p.getByTestId('probe-plan').waitFor(); } },
  probed: { query: '&speed=1000', go: async (p) => { await p.getByTestId('nav-settings').click(); await p.getByTestId('probe-open').click(); await p.getByTestId('probe-go').click(); await p.locator('[data-testid=probe] summary').click(); } },
  images: { query: '', go: async (p) => { await p.getByTestId('nav-settings').click(); await p.getByTestId('image-python').scrollIntoViewIfNeeded(); await p.mouse.wheel(0, 2000); await p.waitForTimeout(200); } },
  found: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('sessions-search').fill('paging'); await p.getByTestId('session-hit').first().waitFor(); await p.getByTestId('session-menu').first().click(); await p.waitForTimeout(200); } },
  compare: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); for (const n of [0, 1]) { await p.getByTestId('session-menu').nth(n).click(); await p.getByTestId('session-compare').click(); } await p.getByTestId('pair').first().waitFor(); } },
  quote: { query: '&speed=1000&scene=not_proven', go: async (p) => { await startTask(p); await p.getByTestId('write').waitFor(); if (await p.getByTestId('evidence-toggle').count()) await p.getByTestId('evidence-toggle').click(); await p.getByTestId('test-table').locator('summary').click(); await p.keyboard.press('q'); await p.getByTestId('say-send').waitFor(); await p.getByTestId('test-table').locator('li[draggable=true]').first().hover(); } },
  anew: { query: '&speed=1000', go: async (p) => { await startTask(p); await p.getByTestId('write').waitFor(); if (await p.getByTestId('trace-toggle').count()) await p.getByTestId('trace-toggle').click(); await p.getByTestId('say-text').fill('Look at the list too:\n\nrun.log:\n```\nE  AssertionError: assert 1 == 2\n```\n'); await p.keyboard.press('Control+Enter'); await p.locator('[data-step="8"]').waitFor(); await p.getByTestId('write').waitFor(); await p.keyboard.press('Escape'); await p.keyboard.press('a'); await p.getByTestId('fork-text').waitFor(); } },
  fork: { query: '&speed=1000', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').first().click(); await p.getByTestId('diff').waitFor(); if (await p.getByTestId('trace-toggle').count()) await p.getByTestId('trace-toggle').click(); await p.locator('[data-step="2"] .n').click(); await p.getByTestId('fork').click(); await p.getByTestId('fork-text').waitFor(); } },
  replay: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-row').nth(2).click(); await p.getByTestId('replay-begin').click(); await p.getByTestId('replay-toggle').click(); await p.getByTestId('replay-place').fill('24'); await p.waitForTimeout(700); } },
  spending: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('sessions-part').locator('label').nth(1).click(); await p.getByTestId('bills').waitFor(); } },
  toolchains: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('start-task').waitFor(); await p.getByTestId('sandbox-badge').click(); await p.getByTestId('toolchains').locator('li').first().waitFor(); await p.getByTestId('toolchains').scrollIntoViewIfNeeded(); } },
  folder: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('folder-settings').click(); await p.getByTestId('test-choice').first().waitFor(); await p.waitForTimeout(1500); } },
  prepare: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('prepare-open').click(); await p.getByTestId('prepare-step').waitFor(); } },
  prepared: { query: '&badinstall', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('prepare-open').click(); await p.getByTestId('prepare-go').click(); await p.getByTestId('prepared').waitFor(); } },
  doctor: { query: '', go: async (p) => { await p.getByTestId('doctor-line').click(); await p.getByTestId('check').first().waitFor(); } },
  kinds: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('kind-picker').click(); await p.waitForTimeout(200); } },
  search: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.keyboard.press('Control+k'); await p.getByTestId('search-input').fill('billing city'); await p.getByTestId('search-hit').first().waitFor(); } },
  help: { query: '', go: async (p) => p.getByTestId('nav-help').click() },
  ask: { query: '&speed=1000&scene=ask', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('test-command').click(); await p.getByTestId('ask-edits').check({ force: true }); await p.keyboard.press('Escape'); await p.getByTestId('start-task').click(); await p.getByTestId('ask').waitFor(); } },
  reject: { query: '&speed=1000&scene=hunks', go: async (p) => { await review(p); await p.getByTestId('hunk-drop').first().click(); await p.getByTestId('reject').click(); await p.getByTestId('reject-dialog').waitFor(); } },
  evidence: { query: '&speed=1000&scene=not_proven', go: async (p) => { await review(p); if (await p.getByTestId('evidence-toggle').count()) await p.getByTestId('evidence-toggle').click(); await p.getByTestId('how').locator('summary').click(); await p.getByTestId('test-table').locator('summary').click(); } },
  step: { query: '&speed=1000', go: async (p) => { await review(p); if (await p.getByTestId('trace-toggle').count()) await p.getByTestId('trace-toggle').click(); await p.locator('[data-step="2"] .n').click(); await p.getByTestId('show-full').first().waitFor(); } },
  criteria: { query: '&speed=1000&scene=feature', go: async (p) => { await startTask(p); await p.getByTestId('question-item').waitFor(); await p.getByTestId('say-text').fill('Show it.'); await p.keyboard.press('Control+Enter'); await p.getByTestId('write').waitFor(); if (await p.getByTestId('evidence-toggle').count()) await p.getByTestId('evidence-toggle').click(); await p.getByTestId('criteria-edit').click(); await p.getByTestId('criteria-dialog').waitFor(); } },
  conflict: { query: '&speed=1000&conflict', go: async (p) => { await review(p); await p.getByTestId('write').click(); await p.getByTestId('act-error').waitFor(); } },
  folderdialog: { query: '', go: async (p) => { await p.keyboard.press('Control+o'); await p.getByTestId('folder-path').fill('/no/such/folder'); await p.getByTestId('folder-open').click(); await p.getByTestId('folder-error').waitFor(); } },
  limits: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('limits').click(); await p.getByTestId('limit-steps').waitFor(); } },
  picker: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('model-picker').click(); await p.getByTestId('model-choice').first().waitFor(); } },
  testcommand: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.getByTestId('test-command').click(); await p.getByTestId('test-cmd').waitFor(); } },
  menu: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-menu').first().click(); await p.getByTestId('session-delete').waitFor(); } },
  rename: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-menu').first().click(); await p.getByTestId('session-rename').click(); await p.getByTestId('rename-dialog').waitFor(); } },
  delete: { query: '', go: async (p) => { await p.getByTestId('nav-sessions').click(); await p.getByTestId('session-menu').first().click(); await p.getByTestId('session-delete').click(); await p.getByTestId('delete-dialog').waitFor(); } },
  nosandbox: { query: '&nosandbox', go: async (p) => { await p.getByTestId('doctor-line').click(); await p.getByTestId('check').first().waitFor(); } },
  nofit: { query: '', go: async (p) => { await p.getByTestId('open-sample').click(); await p.keyboard.press('Control+k'); await p.getByTestId('search-input').fill('zzzz'); await p.waitForTimeout(500); } },
};
