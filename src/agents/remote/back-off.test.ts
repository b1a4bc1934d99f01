import { expect, test } from 'vitest';
import { BackOff } from './back-off.js';

test('pauses double up to the longest, and begin anew when something was heard', () => {
  const backOff = new BackOff(250, 2_000);
  expect(Array.from({ length: 5 }, () => backOff.next())).toEqual([250, 500, 1_000, 2_000, 2_000]);
  backOff.heard();
  expect(backOff.next()).toBe(250);
});

test('the other side may ask for more patience, not for less', () => {
  const backOff = new BackOff(250, 2_000);
  expect([backOff.next(5_000), backOff.next(1)]).toEqual([5_000, 500]);
});
