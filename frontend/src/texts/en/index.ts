// The English catalogue, a part for each view. A text with values is a function; a text may hold `code`, **strong** and {} where
// it is drawn by Rich.

import { ask, errorNote, frame, help, openFolder, search } from './frame';
import { compose, kinds, limits, mentions, options, prepare, sandbox, sessionRow, start } from './start';
import { errors, figure, general, keys } from './general';

export const en = { general, keys, errors, figure, frame, search, openFolder, errorNote, ask, help, start, sandbox, kinds, compose, mentions, sessionRow, options, limits, prepare };
