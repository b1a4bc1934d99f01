import { expect, test } from 'vitest';
import { RecentSamples } from '../../recent-samples.js';
import { Rate } from './rate.js';

test('a rate is the mean of the last seconds, and 0 when nothing happened in them', () => {
  const rate = new Rate();
  let now = 1_700_000_000_000;
  expect(rate.perSecond(now)).toBe(0);
  for (let i = 0; i < 400; i++) rate.add(1, (now += 10));
  expect(rate.perSecond(now)).toBeCloseTo(100, 0);
  expect(rate.perSecond(now + 1000)).toBeLessThan(80);
  expect(rate.perSecond(now + 10_000)).toBe(0);
  rate.add(5, now + 60_000);
  expect(rate.perSecond(now + 60_250)).toBeCloseTo(5 / 2.75);
});

test('a clock that goes back loses nothing', () => {
  const rate = new Rate();
  rate.add(10, 10_000);
  rate.add(10, 9_000);
  expect(rate.perSecond(10_250)).toBeCloseTo(20 / 2.75);
});

test('percentiles are of the newest samples', () => {
  const samples = new RecentSamples(100);
  expect(samples.percentile(50)).toBeNull();
  samples.add(7);
  expect([samples.percentile(1), samples.percentile(99)]).toEqual([7, 7]);
  for (let i = 1; i <= 250; i++) samples.add(i);
  expect([samples.percentile(0), samples.percentile(50), samples.percentile(99), samples.percentile(100)]).toEqual([
    151, 200, 249, 250,
  ]);
});
