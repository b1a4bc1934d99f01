/**
 * Conditions on the arguments of a call. Pure.
 *
 * A comparison of an argument that is missing is false, `ne` included; only `exists: false` is true of it. An argument
 * that is there but cannot be compared (a text with a number, a text too long for `matches`) is neither: the rule decides
 * what that means.
 */

import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../json.js';
import { occursIn } from './pattern.js';

/** All that are given must hold. */
export type Comparison = {
  eq?: JsonValue;
  ne?: JsonValue;
  gt?: number | string;
  gte?: number | string;
  lt?: number | string;
  lte?: number | string;
  in?: readonly JsonValue[];
  /** A regular expression (RE2) that occurs in a text. */
  matches?: string;
  exists?: boolean;
};

/** By dotted path (`customer.country`, `items.0.eur`). A value that is no comparison means `eq`. All must hold. */
export type Conditions = Readonly<Record<string, string | number | boolean | null | readonly JsonValue[] | Comparison>>;

export type Verdict = 'holds' | 'fails' | 'incomparable';

/** `fails` when any condition fails; else `incomparable` when any is; else `holds`. */
export function judge(conditions: Conditions, args: unknown): Verdict {
  const verdicts = Object.entries(conditions).flatMap(([path, condition]) => compare(condition, at(args, path)));
  if (verdicts.includes('fails')) return 'fails';
  return verdicts.includes('incomparable') ? 'incomparable' : 'holds';
}

const MISSING = Symbol('missing');

/** Own properties only: `__proto__` and the like are arguments as any other. */
function at(args: unknown, path: string): unknown {
  let value = args;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return MISSING;
    value = (value as Record<string, unknown>)[key];
  }
  return value === undefined ? MISSING : value;
}

const isComparison = (condition: Conditions[string]): condition is Comparison =>
  typeof condition === 'object' && condition !== null && !Array.isArray(condition);

function compare(condition: Conditions[string], value: unknown): Verdict[] {
  const comparison = isComparison(condition) ? condition : { eq: condition };
  return Object.entries(comparison).map(([operator, operand]) => {
    if (operator === 'exists') return verdict((value !== MISSING) === operand);
    if (value === MISSING) return 'fails';
    return operators[operator as Exclude<keyof Comparison, 'exists'>](value, operand);
  });
}

const verdict = (holds: boolean): Verdict => (holds ? 'holds' : 'fails');

type Operator = (value: unknown, operand: unknown) => Verdict;

/** Numbers by value, texts by UTF-16 code units. */
const ordered =
  (holds: (value: number | string, operand: number | string) => boolean): Operator =>
  (value, operand) =>
    typeof value === typeof operand && (typeof value === 'number' || typeof value === 'string')
      ? verdict(holds(value, operand as number | string))
      : 'incomparable';

const operators: Record<Exclude<keyof Comparison, 'exists'>, Operator> = {
  eq: (value, operand) => verdict(isDeepStrictEqual(value, operand)),
  ne: (value, operand) => verdict(!isDeepStrictEqual(value, operand)),
  gt: ordered((value, operand) => value > operand),
  gte: ordered((value, operand) => value >= operand),
  lt: ordered((value, operand) => value < operand),
  lte: ordered((value, operand) => value <= operand),
  in: (value, operand) => verdict((operand as unknown[]).some((one) => isDeepStrictEqual(value, one))),
  matches(value, operand) {
    const occurs = typeof value === 'string' ? occursIn(operand as string, value) : undefined;
    return occurs === undefined ? 'incomparable' : verdict(occurs);
  },
};
