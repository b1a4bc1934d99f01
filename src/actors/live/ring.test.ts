/** The ring of the feed: numbers, bounds, and when events of runs go through it. */

import { describe, expect, it, test } from 'vitest';
import type { CanonicalEvent } from '../events.js';
import type { FeedEntry } from '../inspection.js';
import { FeedRing } from './ring.js';

const entry = (queued: number): FeedEntry => ({ type: 'queued', at: 0, thread_id: 't', queued });
const event = (delta: string): CanonicalEvent => ({
  type: 'text_delta',
  run_id: 'r',
  thread_id: 't',
  seq: 0,
  timestamp_ms: 1,
  data: { delta },
});

const numbers = (ring: FeedRing): number[] =>
  Array.from({ length: ring.last + 1 }, (_, n) => n).filter((n) => ring.at(n) !== undefined);

test('numbers are dense; the oldest entries go', () => {
  const ring = new FeedRing(() => 0, { entries: 4, chars: 1e6, linger_ms: 0 });
  ring.watch({ tail: false });
  const from = ring.last;
  for (let i = 1; i <= 10; i++) ring.push(entry(i));
  expect(ring.last).toBe(from + 10);
  expect(numbers(ring).map((n) => [n - from, ring.at(n)])).toEqual([7, 8, 9, 10].map((n) => [n, entry(n)]));
  expect([5, 6, 9, 10, 11].map((n) => ring.reaches(from + n, false))).toEqual([false, true, true, true, false]);
});

test('entries are wanted while somebody watches, and for a while after; nobody resumes across what was left out', () => {
  let now = 0;
  const ring = new FeedRing(() => now, { entries: 100, chars: 1e6, linger_ms: 1000 });
  expect([ring.isWatched, ring.reaches(0, false)]).toEqual([false, false]);
  const stop = ring.watch({ tail: false });
  const begun = ring.last;
  expect([ring.isWatched, ring.reaches(begun, false), ring.reaches(begun - 1, false)]).toEqual([true, true, false]);
  ring.push(entry(1));
  now = 5000;
  stop();
  now = 6000;
  expect([ring.isWatched, ring.reaches(begun, false)]).toEqual([true, true]);
  now = 6001;
  expect([ring.isWatched, ring.reaches(begun, false), numbers(ring)]).toEqual([false, false, []]);
  const seen = ring.last;
  ring.watch({ tail: false });
  expect([ring.reaches(seen, false), ring.reaches(ring.last, false)]).toEqual([false, true]);
});

test('a bell rings for each entry until it is taken back', () => {
  const ring = new FeedRing(() => 0);
  let rung = 0;
  const off = ring.onNext(() => rung++);
  ring.push(entry(1));
  ring.push(entry(2));
  off();
  ring.push(entry(3));
  expect(rung).toBe(2);
});

describe('events of runs', () => {
  it('are in while somebody tails, and for a while after', () => {
    let now = 0;
    const ring = new FeedRing(() => now, { entries: 100, chars: 1e6, linger_ms: 1000 });
    ring.watch({ tail: false });
    const before = ring.last;
    ring.push(entry(1));
    expect(ring.isTailed).toBe(false);
    const stop = ring.watch({ tail: true });
    const other = ring.watch({ tail: true });
    const begun = ring.last;
    expect([ring.isTailed, ring.reaches(begun, true), ring.reaches(before, true)]).toEqual([true, true, false]);
    expect(ring.reaches(before, false)).toBe(true);
    ring.pushEvent('a', event('x'));
    stop();
    stop();
    now = 5000;
    expect(ring.isTailed).toBe(true);
    other();
    now = 5900;
    expect([ring.isTailed, ring.reaches(begun, true)]).toEqual([true, true]);
    now = 6001;
    expect([ring.isTailed, ring.reaches(ring.last, true), ring.reaches(ring.last, false)]).toEqual([
      false,
      false,
      true,
    ]);
    ring.watch({ tail: true });
    expect([ring.reaches(begun, true), ring.reaches(ring.last, true)]).toEqual([false, true]);
  });

  it('are bounded by their size, not by their number alone', () => {
    const ring = new FeedRing(() => 0, { entries: 1000, chars: 10_000, linger_ms: 0 });
    ring.watch({ tail: true });
    for (let i = 0; i < 500; i++) ring.pushEvent('a', event('x'.repeat(1000)));
    const kept = numbers(ring).map((n) => ring.at(n));
    expect(kept.length).toBeGreaterThan(5);
    expect(JSON.stringify(kept).length).toBeLessThan(12_000);
    ring.pushEvent('a', event('y'.repeat(100_000)));
    expect(numbers(ring)).toEqual([ring.last]);
  });

  it('have no pieces of arguments, which cannot be looked through', () => {
    const ring = new FeedRing(() => 0);
    ring.watch({ tail: true });
    const data = { id: 'c', args_delta: '"password":"hunt' };
    ring.pushEvent('a', { ...event(''), type: 'tool_call_delta', data });
    expect(ring.at(ring.last)).toMatchObject({ event: { data: { id: 'c', args_delta: '…' } } });
  });
});
