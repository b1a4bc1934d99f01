/**
 * A filter made ready for a list: what the server is asked for, and what remains to be looked at here. Pure.
 *
 * Callers may rely on: `matches` holds for exactly the records the filter means, whatever the server did; with `exact`
 * the server alone has done it all, so its total counts.
 */

import { usage } from '../client/errors.js';
import { parseDuration } from './duration.js';
import type { FilterKey, FilterKeys } from './keys.js';
import { parseTerms, type Operator, type Term } from './parse.js';

export type Filter<T> = {
  query: Readonly<Record<string, string | number>>;
  exact: boolean;
  matches: (item: T) => boolean;
};

type Test<T> = (item: T) => boolean;

/** @param now unix milliseconds: ages count from here. Throws a usage error that names what would be understood. */
export function compileFilter<T>(texts: readonly string[], keys: FilterKeys<T>, now: number): Filter<T> {
  const query: Record<string, string | number> = {};
  const tests: Test<T>[] = [];
  let exact = true;
  for (const term of texts.flatMap(parseTerms)) {
    const key = Object.hasOwn(keys, term.key) ? keys[term.key] : undefined;
    if (!key) throw usage(`filter: unknown key ${term.key}; known are ${Object.keys(keys).join(', ')}`);
    tests.push(testOf(key, term, now));
    const asked = askedOf(key, term, now);
    if (asked && !Object.hasOwn(query, asked.param)) query[asked.param] = asked.value;
    else exact = false;
  }
  return { query, exact, matches: (item) => tests.every((test) => test(item)) };
}

/** What the server can be asked for a term, when that is all the term means. */
function askedOf<T>(key: FilterKey<T>, { operator, values }: Term, now: number) {
  if (key.of === 'text' && key.param !== undefined && operator === '=' && values.length === 1) {
    return { param: key.param, value: values[0]! };
  }
  if (key.of !== 'age' || !key.params) return undefined;
  const older = operator === '>' || operator === '>=';
  const value = boundOf(operator, now - parseDuration(values[0]!)!);
  return Number.isSafeInteger(value) ? { param: older ? key.params.to : key.params.from, value } : undefined;
}

/** Where an age ends as the server takes it: inclusive, in whole milliseconds. */
function boundOf(operator: Operator, edge: number): number {
  if (operator === '>') return Math.ceil(edge) - 1;
  if (operator === '>=') return Math.floor(edge);
  return operator === '<' ? Math.floor(edge) + 1 : Math.ceil(edge);
}

function testOf<T>(key: FilterKey<T>, term: Term, now: number): Test<T> {
  switch (key.of) {
    case 'text':
      return textTest(key, term);
    case 'number':
      return numberTest(key, term);
    case 'age':
      return ageTest(key, term, now);
  }
}

function textTest<T>({ read, known }: FilterKey<T> & { of: 'text' }, term: Term): Test<T> {
  const { operator, values } = allowed(term, ['=', '!=', '~', '!~']);
  const contains = operator.endsWith('~');
  const stray = contains ? undefined : values.find((value) => known?.includes(value) === false);
  if (known && stray !== undefined) {
    throw usage(`filter: ${term.key}: unknown value ${stray}; expected one of ${known.join(', ')}`);
  }
  const holds = contains
    ? (text: string) => values.some((value) => text.toLowerCase().includes(value.toLowerCase()))
    : (text: string) => values.includes(text);
  const wanted = !operator.startsWith('!');
  return (item) => listOf(read(item)).some(holds) === wanted;
}

function numberTest<T>({ read }: FilterKey<T> & { of: 'number' }, term: Term): Test<T> {
  const { operator, values } = allowed(term, ['=', '!=', '<', '<=', '>', '>=']);
  const numbers = values.map((value) => {
    if (!/^-?\d+(\.\d+)?$/.test(value)) throw usage(`filter: ${term.key}: expected a number, got ${value}`);
    return Number(value);
  });
  if (operator === '=' || operator === '!=') {
    return (item) => listOf(read(item)).some((number) => numbers.includes(number)) === (operator === '=');
  }
  const limit = single(numbers, term);
  return (item) => listOf(read(item)).some((number) => compare(number, operator, limit));
}

function ageTest<T>({ read }: FilterKey<T> & { of: 'age' }, term: Term, now: number): Test<T> {
  const { operator, values } = allowed(term, ['<', '<=', '>', '>=']);
  const limit = parseDuration(single(values, term));
  if (limit === undefined)
    throw usage(`filter: ${term.key}: expected a time such as 30s, 10m, 2h or 1d, got ${values[0]}`);
  return (item) => {
    const at = read(item);
    return at !== null && compare(now - at, operator, limit);
  };
}

function allowed(term: Term, known: readonly Operator[]): Term {
  if (known.includes(term.operator)) return term;
  throw usage(`filter: ${term.key} takes ${known.join(' ')}, not ${term.operator}`);
}

function single<V>(values: readonly V[], { key, operator }: Term): V {
  if (values.length === 1) return values[0]!;
  throw usage(`filter: ${key}${operator} takes one value`);
}

const listOf = <V>(value: V | readonly V[] | null | undefined): readonly V[] =>
  value === null || value === undefined ? [] : Array.isArray(value) ? (value as readonly V[]) : [value as V];

function compare(a: number, operator: Operator, b: number): boolean {
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}
