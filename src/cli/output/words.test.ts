import { expect, it } from 'vitest';
import { counted, some } from './words.js';

it('counts', () =>
  expect([counted(1, 'run'), counted(0, 'run'), counted(2, 'entry', 'entries')]).toEqual([
    '1 run',
    '0 runs',
    '2 entries',
  ]));

it('names a few of many', () => {
  expect(some(['a', 'b'])).toBe('a, b');
  expect(some([...'abcdef'])).toBe('a, b, c, d, e and 1 other');
  expect(some([...'abcdefgh'])).toBe('a, b, c, d, e and 3 others');
});
