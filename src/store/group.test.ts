import { expect, it } from 'vitest';
import fc from '../../test/support/property.js';
import { groupSize } from './group.js';

const commit = (ops: number, bytes: number) => ({ ops: new Array<unknown>(ops), bytes });

it('takes the longest head of the queue that keeps to the cap, and always one', () => {
  const commits = fc.array(fc.tuple(fc.nat(12), fc.nat(120)), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(commits, (sizes) => {
      const cap = { ops: 20, bytes: 200 };
      const fits = (n: number): boolean =>
        n <= 1 ||
        (sizes.slice(0, n).reduce((sum, [ops]) => sum + ops, 0) <= cap.ops &&
          sizes.slice(0, n).reduce((sum, [, bytes]) => sum + bytes, 0) <= cap.bytes);
      const n = groupSize(
        sizes.map(([ops, bytes]) => commit(ops, bytes)),
        cap,
      );
      expect(n).toBeGreaterThanOrEqual(1);
      expect(fits(n)).toBe(true);
      expect(n === sizes.length || !fits(n + 1)).toBe(true);
    }),
  );
});

it('takes nothing from an empty queue', () => {
  expect(groupSize([], { ops: 1, bytes: 1 })).toBe(0);
});
