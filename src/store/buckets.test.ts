import { expect, it } from 'vitest';
import { Buckets } from './buckets.js';

it('counts a value in the first bucket that holds it', () => {
  const buckets = new Buckets([1, 10]);
  for (const value of [0, 1, 2, 10, 11]) buckets.add(value);
  expect(buckets.read()).toEqual({ bounds: [1, 10], counts: [2, 2], count: 5, sum: 24 });
});

it('gives a copy', () => {
  const buckets = new Buckets([1]);
  const before = buckets.read();
  buckets.add(1);
  expect(before.counts).toEqual([0]);
});
