/** The small parts of the columns. */

import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/property.js';
import { Dictionary } from './dictionary.js';
import { nthLargest } from './nth.js';
import { Numbers } from './numbers.js';
import { Words } from './words.js';

describe('a dictionary', () => {
  it('knows exactly the texts in use, each under a number of its own', () => {
    const few = fc.constantFrom('', 'a', 'b', 'c', '__proto__', 'é', '€', 'a'.repeat(300), '\ud800', '\udfff');
    const many = fc.nat(99).map((n) => `user-${n}`);
    const step = fc.record({ text: fc.oneof(few, many), uses: fc.nat(2), release: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const dictionary = new Dictionary();
        const known = new Map<string, { code: number; uses: number }>();
        for (const { text, uses, release } of steps) {
          const there = known.get(text);
          if (!release && uses > 0) {
            const code = dictionary.acquire(text, uses);
            if (there) expect(code).toBe(there.code);
            known.set(text, { code, uses: (there?.uses ?? 0) + uses });
          } else if (there) {
            dictionary.release(there.code);
            there.uses -= 1;
            if (there.uses === 0) known.delete(text);
            expect(dictionary.find(text)).toBe(known.get(text)?.code);
          } else expect(dictionary.find(text)).toBeUndefined();
        }
        expect(dictionary.size).toBe(known.size);
        for (const [text, { code }] of known)
          expect([dictionary.find(text), dictionary.text(code)]).toEqual([code, text]);
        const codes = [...known.values()].map(({ code }) => code);
        expect(new Set(codes).size).toBe(codes.length);
        expect(codes).not.toContain(0);
      }),
      { numRuns: 200 },
    );
  });

  it('has 0 for none, which nobody has to give back', () => {
    const dictionary = new Dictionary();
    expect(dictionary.acquire(null)).toBe(0);
    dictionary.release(0);
    expect(dictionary.size).toBe(0);
  });
});

it('finds the n-th largest', () => {
  const values = fc.array(fc.oneof(fc.nat(5), fc.integer()), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(values, fc.nat(), (values, pick) => {
      const n = pick % values.length;
      expect(nthLargest(Float64Array.from(values), n)).toBe(values.toSorted((a, b) => b - a)[n]);
    }),
    { numRuns: 2000 },
  );
});

it('keeps every number, however far it lies from the ones before', () => {
  const near = fc.nat(300).map((n) => 1.7e12 + n);
  const value = fc.oneof(fc.nat(3), fc.nat(2 ** 9), near, fc.nat(2 ** 17), fc.nat(2 ** 33), fc.maxSafeNat());
  fc.assert(
    fc.property(value, fc.array(fc.tuple(fc.nat(20), value)), (base, sets) => {
      const numbers = new Numbers(21, base);
      const expected = new Map<number, number>();
      for (const [slot, value] of sets) {
        numbers.set(slot, value);
        expected.set(slot, value);
        for (const [slot, value] of expected) {
          expect(numbers.get(slot)).toBe(value);
          expect(numbers.values[slot]! + numbers.base).toBe(value);
        }
      }
    }),
    { numRuns: 500 },
  );
});

it('keeps times of some weeks in four bytes, also when they do not come in order', () => {
  const DAY = 24 * 60 * 60 * 1000;
  const times = new Numbers(50, 1.7e12);
  for (let slot = 0; slot < 50; slot++) times.set(slot, 1.7e12 + (slot % 2 === 0 ? slot / 2 : -slot / 5) * DAY);
  expect(times.values).toBeInstanceOf(Uint32Array);
  expect(times.get(49)).toBe(1.7e12 - 9.8 * DAY);
  times.set(0, 1.7e12 + 60 * DAY);
  expect([times.values.BYTES_PER_ELEMENT, times.get(0), times.get(49)]).toEqual([
    8,
    1.7e12 + 60 * DAY,
    1.7e12 - 9.8 * DAY,
  ]);
});

it('gives 0 to words it does not know', () => {
  const words = new Words(['one', 'two']);
  expect([words.code('one'), words.code('two'), words.code(null), words.code('three' as 'one')]).toEqual([1, 2, 0, 0]);
});
