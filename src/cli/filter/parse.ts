/**
 * `-q 'status=waiting agent=billing age>10m'`: terms that must all hold, parted by blanks. Pure.
 *
 * A term is a key, an operator and a value, or several values parted by commas, of which one must hold. Double quotes
 * keep blanks and commas together: `title="two words"`.
 */

import { usage } from '../client/errors.js';

const operators = ['!=', '!~', '<=', '>=', '=', '~', '<', '>'] as const;
export type Operator = (typeof operators)[number];

export type Term = { key: string; operator: Operator; values: string[]; text: string };

const KEY = /^[a-z_][\w.]*/i;

/** Throws a usage error that shows where it does not understand. */
export function parseTerms(text: string): Term[] {
  const terms: Term[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const key = KEY.exec(rest)?.[0];
    const operator = key && operators.find((known) => rest.startsWith(known, key.length));
    if (!key || !operator) throw usage(`filter: expected key=value at ${JSON.stringify(rest)}`, EXAMPLE);
    const after = rest.slice(key.length + operator.length);
    const { values, length } = readValues(after, `${key}${operator}`);
    const end = key.length + operator.length + length;
    terms.push({ key, operator, values, text: rest.slice(0, end) });
    rest = rest.slice(end).trimStart();
  }
  return terms;
}

const EXAMPLE = "for example -q 'status=waiting agent=billing age>10m'";

/** Values until a blank that is not quoted. */
function readValues(text: string, before: string): { values: string[]; length: number } {
  const values: string[] = [];
  let at = 0;
  for (;;) {
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text.slice(at));
    const found = quoted ?? /^[^\s,"]*/.exec(text.slice(at))!;
    const value = quoted ? quoted[1]!.replace(/\\(.)/g, '$1') : found[0];
    if (!quoted && value === '') throw usage(`filter: expected a value behind ${before}`, EXAMPLE);
    values.push(value);
    at += found[0].length;
    if (text[at] !== ',') break;
    at++;
  }
  if (at < text.length && !/\s/.test(text[at]!)) {
    throw usage(`filter: expected a blank at ${JSON.stringify(text.slice(at))}`, EXAMPLE);
  }
  return { values, length: at };
}
