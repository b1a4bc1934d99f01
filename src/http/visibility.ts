/** The `visibility` filter of messages (CONTRACT 3.2, 4.4). */

import type { MessageRange } from '../actors/engine.js';
import { queryEnum, type QueryValue } from './validation.js';

const WORDS = ['all', 'public', 'internal', 'none'] as const;

/**
 * What the filter lets through: `all` (for all eyes, the default; also called `public`), `internal` (for the model
 * alone), or, with `none` for "no filter", both: undefined. Throws `bad_request`.
 */
export function visibilityOf(value: QueryValue): MessageRange['visibility'] {
  const word = queryEnum('visibility', value, WORDS) ?? 'all';
  if (word === 'none') return undefined;
  return word === 'internal' ? 'internal' : 'public';
}
