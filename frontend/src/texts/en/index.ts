// The English catalogue, a part for each view. A text with values is a function; a text may hold `code`, **strong** and {} where
// it is drawn by Rich.

import { ask, drop, errorNote, frame, help, menu, notices, notNow, openFolder, search } from './frame';
import { compose, guides, kinds, limits, mentions, options, prepare, sandbox, sessionRow, start } from './start';
import { evidence, how, parts, proofStates, seal } from './proof';
import { confirmWrite, criteria, decide, diff, meters, note, pictures, progress, quote, reject, review, say } from './review';
import { compare, sessionMenu, sessions, spending } from './sessions';
import { doctor, folder, forms, images, probe, provider, settings } from './settings';
import { acts, call, fork, fullText, outcomes, replay, run, standing, step, strip, testing, tests, trace } from './trace';
import { errors, figure, general, keys } from './general';

export const en = { general, keys, errors, figure, frame, search, openFolder, drop, errorNote, ask, help, menu, notices, notNow, start, sandbox, kinds, compose, guides, mentions, sessionRow, options, limits, prepare, outcomes, standing, acts, run, trace, step, call, fullText, tests, testing, fork, strip, replay, review, note, progress, say, pictures, quote, diff, decide, confirmWrite, reject, criteria, meters, proofStates, seal, evidence, parts, how, sessions, sessionMenu, compare, spending, settings, provider, forms, probe, folder, images, doctor };
