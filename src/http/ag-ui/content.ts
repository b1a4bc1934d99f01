/** What a message says, as the text that is stored. Pure. */

import type { JsonValue } from '../../json.js';
import type { GivenContent } from './request.js';

/**
 * The text of a message. Parts that are no text cannot be stored; each leaves a note in its place, so that neither the
 * model nor the reader of the history takes the message for whole.
 */
export const textOf = (content: GivenContent): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? (part.text ?? '') : `[${part.type} left out]`)).join('\n');

/** A tool message's content: the JSON value it is, or the text. */
export function valueOf(content: string): JsonValue {
  try {
    return JSON.parse(content) as JsonValue;
  } catch {
    return content;
  }
}
