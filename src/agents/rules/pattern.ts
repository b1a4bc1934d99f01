/**
 * Regular expressions that configurations hold against what models write.
 *
 * The texts are a model's, so nobody vouches for them: matching takes time linear in the text whatever the pattern
 * (RE2 syntax: no look-around, no back-references; `(?i)` at the front ignores case), and a text beyond `MAX_TEXT` is not
 * read at all. A pattern matches anywhere in the text unless it is anchored.
 */

import { RE2JS } from 're2js';

/** UTF-16 units of the longest text that is matched. */
export const MAX_TEXT = 100_000;

/** Whether the pattern occurs in the text; undefined when the text is too long to be read. Throws on a bad pattern. */
export function occursIn(pattern: string, text: string): boolean | undefined {
  return text.length > MAX_TEXT ? undefined : compiled(pattern).matcher(text).find();
}

/** What is wrong with a pattern; undefined when nothing is. */
export function patternFault(pattern: string): string | undefined {
  try {
    compiled(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Patterns come from the configuration: there are few, and they stay. */
const cache = new Map<string, RE2JS>();

function compiled(pattern: string): RE2JS {
  const known = cache.get(pattern);
  if (known) return known;
  const made = RE2JS.compile(pattern);
  cache.set(pattern, made);
  return made;
}
