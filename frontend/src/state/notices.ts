// What is told to a person who looks elsewhere when a run ends or asks: the folder's name and counts, and nothing else of a
// repository or of what a model said, since a desktop shows it on a locked screen and keeps it.

import type { Notice, SessionState } from '../api';
import { t } from '../texts';
import { baseName } from './format';
import { counts } from './proof';

/** over says how a session stands that works no more; null where the person did it. */
export function over(s: SessionState): Notice | null {
  if (s.outcome === 'running' || s.outcome === 'cancelled') return null;
  const proven = s.outcome === 'review' && s.proof !== '';
  const told = s.outcome === 'review' && s.certificate ? counts(s.certificate) : null;
  return {
    session: s.id,
    title: t.notices.title(proven && s.proof ? t.proofStates[s.proof].word : t.outcomes[s.outcome].word, baseName(s.folder)),
    text: told ? t.notices.review(t.seal.counts(told.turned, told.green, told.broken)) : t.outcomes[s.outcome].text,
  };
}

/** asks says that a session waits for leave to do something. */
export function asks(s: SessionState): Notice {
  return { session: s.id, title: t.notices.title(t.outcomes.waiting.word, baseName(s.folder)), text: t.notices.leave };
}

/** browserAllows tells whether the browser shows our notices. */
export function browserAllows(): boolean {
  return typeof Notification !== 'undefined' && Notification.permission === 'granted';
}

/** askBrowser has the browser ask the person, which it does on a click only. */
export async function askBrowser(): Promise<boolean> {
  if (typeof Notification === 'undefined') return false;
  return browserAllows() || (await Notification.requestPermission()) === 'granted';
}

/** showInBrowser shows a notice, once for all our tabs. */
export function showInBrowser(n: Notice, onclick: () => void): void {
  if (!browserAllows()) return;
  const shown = new Notification(n.title, { body: n.text, tag: n.session });
  shown.onclick = () => {
    window.focus();
    shown.close();
    onclick();
  };
}
