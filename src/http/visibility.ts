/** The `visibility` filter of messages (CONTRACT 3.2, 4.4). */

import type { MessageRange } from '../actors/engine.js';
import { query } from './query.js';

const WORDS = ['all', 'public', 'internal', 'none'] as const;

/**
 * What the filter lets through: `all` (for all eyes, the default; also called `public`), `internal` (for the model
 * alone), or, with `none` for "no filter", both: undefined.
 */
export const visibility = () =>
  query.mapped(
    query.word(WORDS, '`all`: for all eyes (default); `internal`: for the model alone; `none`: both.'),
    rangeOf,
  );

function rangeOf(word: (typeof WORDS)[number] | undefined): MessageRange['visibility'] {
  if (word === 'none') return undefined;
  return word === 'internal' ? 'internal' : 'public';
}
