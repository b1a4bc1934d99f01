/**
 * Filters as they are typed: `state=waiting agent=billing age>10m refund`. The grammar of `-q`, and words without a key
 * that are looked for everywhere. Pure.
 *
 * What cannot be understood is an error that names what can: a filter that is silently ignored lies.
 */

import { CliError } from '../../client/index.js';
import { compileFilter } from '../../filter/filter.js';
import type { FilterKey } from '../../filter/keys.js';
import { parseTerms } from '../../filter/parse.js';

/** What a row can be asked for; an age is told by the time it counts from. Texts in a list: any of them. */
export type Fields = Readonly<Record<string, string | readonly string[] | number | null>>;

/** `asked`: the server answers it, so it is `key=value` and no more. */
export type FilterNames = Readonly<Record<string, 'text' | 'number' | 'age' | 'asked'>>;

export type ParsedFilter = { filter: (fields: Fields) => boolean; error: null } | { filter: null; error: string };

/** Blanks within double quotes part nothing. */
const WORDS = /(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g;
const TERM = /^[a-z_][\w.]*(!=|!~|<=|>=|=|~|<|>)/i;

/** @param now unix milliseconds, where ages count from. */
export function parseFilter(text: string, names: FilterNames, now: number): ParsedFilter {
  const words = text.match(WORDS) ?? [];
  const anywhere = words.filter((word) => !TERM.test(word)).map((word) => word.replaceAll('"', '').toLowerCase());
  const terms = words.filter((word) => TERM.test(word)).join(' ');
  try {
    const stray = onlyAsked(names)
      ? (anywhere[0] ?? parseTerms(terms).find(({ operator }) => operator !== '=')?.text)
      : undefined;
    if (stray !== undefined)
      return refused(
        `the server knows ${
          Object.keys(names)
            .map((name) => `${name}=`)
            .join(', ') || 'no filter'
        } here`,
      );
    const { matches } = compileFilter<Fields>([terms], keysOf(names), now);
    return { filter: (fields) => matches(fields) && anywhere.every((word) => isIn(fields, word)), error: null };
  } catch (error) {
    if (error instanceof CliError) return refused(error.message.replace(/^filter: /, ''));
    throw error;
  }
}

const refused = (error: string): ParsedFilter => ({ filter: null, error });

const onlyAsked = (names: FilterNames): boolean => Object.values(names).every((kind) => kind === 'asked');

const keysOf = (names: FilterNames): Record<string, FilterKey<Fields>> =>
  Object.fromEntries(Object.entries(names).map(([name, kind]) => [name, keyOf(name, kind)]));

function keyOf(name: string, kind: FilterNames[string]): FilterKey<Fields> {
  if (kind === 'number') return { of: 'number', read: (fields) => fields[name] as number | null };
  if (kind === 'age') return { of: 'age', read: (fields) => fields[name] as number };
  return { of: 'text', read: (fields) => fields[name] as string | readonly string[] | null };
}

const isIn = (fields: Fields, word: string): boolean =>
  Object.values(fields)
    .flat()
    .some((value) => typeof value === 'string' && value.toLowerCase().includes(word));

/** `["running", "running.acting"]`: a state is also all that it stands in. */
export const statesOf = (path: readonly string[]): string[] => path.map((_, i) => path.slice(0, i + 1).join('.'));
