import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from './clock.js';

const DAY = 86_400_000;

describe('the clock of the system', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  });
  afterEach(() => vi.useRealTimers());

  test('counts on from the wall clock at its start, and never runs backwards with it', () => {
    const clock = systemClock();
    const began = clock.now();
    expect(Math.abs(began - 1_700_000_000_000)).toBeLessThanOrEqual(1);
    vi.advanceTimersByTime(500);
    vi.setSystemTime(1_600_000_000_000);
    expect(clock.now() - began).toBe(500);
  });

  test('fires once, not before its time', () => {
    const clock = systemClock();
    const fired: number[] = [];
    const due = clock.now() + 1_000;
    clock.at(due, () => fired.push(clock.now()));
    vi.advanceTimersByTime(999);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(fired).toHaveLength(1);
    expect(fired[0]).toBeGreaterThanOrEqual(due);
  });

  test('a deadline that is past fires at the next turn', () => {
    const clock = systemClock();
    const fire = vi.fn();
    clock.at(clock.now() - 5_000, fire);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(fire).toHaveBeenCalledTimes(1);
  });

  test('a deadline farther off than any native timer is looked at again, and fires on time', () => {
    const clock = systemClock();
    const fired: number[] = [];
    const due = clock.now() + 40 * DAY;
    clock.at(due, () => fired.push(clock.now()));
    vi.advanceTimersByTime(39 * DAY);
    expect(fired).toEqual([]);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(DAY + 1);
    expect(fired).toHaveLength(1);
    expect(fired[0]! - due).toBeGreaterThanOrEqual(0);
    expect(fired[0]! - due).toBeLessThanOrEqual(2);
  });

  test('a cancelled one is gone, also after it was looked at again', () => {
    const clock = systemClock();
    const fire = vi.fn();
    const cancel = clock.at(clock.now() + 3 * DAY, fire);
    vi.advanceTimersByTime(2 * DAY);
    cancel();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(5 * DAY);
    expect(fire).not.toHaveBeenCalled();
  });
});
