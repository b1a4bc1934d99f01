import { expect, it } from 'vitest';
import { ServerClock } from './server-clock.js';

it('is ours until the server has been heard, and when both say about the same', () => {
  const clock = new ServerClock();
  expect(clock.at(1_000)).toBe(1_000);
  clock.heard(9_500, 10_000);
  expect(clock.at(11_000)).toBe(11_000);
});

it.each([600_000, -600_000])('is as far off as frames say (%i ms), and late ones say nothing', (ahead) => {
  const clock = new ServerClock();
  clock.heard(10_000 + ahead, 10_000);
  clock.heard(11_000 + ahead, 61_000);
  expect(clock.at(70_000)).toBe(70_000 + ahead);
  clock.doubt();
  expect(clock.at(70_000)).toBe(70_000 + ahead);
  clock.heard(80_000, 80_000);
  expect(clock.at(90_000)).toBe(90_000);
});
