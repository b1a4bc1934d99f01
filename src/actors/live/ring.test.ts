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

test('numbers are dense from 1; the oldest entries go', () => {
  const ring = new FeedRing(() => 0, { entries: 4, chars: 1e6, linger_ms: 0 });
  expect([ring.last, ring.at(0), ring.reaches(0, false), ring.reaches(1, false)]).toEqual([0, undefined, true, false]);
  for (let i = 1; i <= 10; i++) ring.push(entry(i));
  expect(ring.last).toBe(10);
  expect(Array.from({ length: 11 }, (_, n) => (ring.at(n) as { queued: number } | undefined)?.queued)).toEqual([
    ...Array.from({ length: 7 }, () => undefined),
    7,
    8,
    9,
    10,
  ]);
  expect([5, 6, 9, 10, 11].map((n) => ring.reaches(n, false))).toEqual([false, true, true, true, false]);
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
    ring.push(entry(1));
    expect(ring.isTailed).toBe(false);
    const stop = ring.tail();
    const other = ring.tail();
    expect([ring.isTailed, ring.reaches(1, true), ring.reaches(0, true), ring.reaches(0, false)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    ring.pushEvent('a', event('x'));
    stop();
    stop();
    now = 5000;
    expect(ring.isTailed).toBe(true);
    other();
    now = 5900;
    expect([ring.isTailed, ring.reaches(1, true)]).toEqual([true, true]);
    now = 6001;
    expect([ring.isTailed, ring.reaches(2, true), ring.reaches(2, false)]).toEqual([false, false, true]);
    ring.tail();
    expect([ring.reaches(1, true), ring.reaches(2, true)]).toEqual([false, true]);
  });

  it('are bounded by their size, not by their number alone', () => {
    const ring = new FeedRing(() => 0, { entries: 1000, chars: 10_000, linger_ms: 0 });
    ring.tail();
    for (let i = 0; i < 500; i++) ring.pushEvent('a', event('x'.repeat(1000)));
    const kept = Array.from({ length: ring.last }, (_, i) => ring.at(i + 1)).filter(Boolean);
    expect(kept.length).toBeGreaterThan(5);
    expect(JSON.stringify(kept).length).toBeLessThan(12_000);
    ring.pushEvent('a', event('y'.repeat(100_000)));
    expect(ring.at(ring.last)).toBeDefined();
    expect(ring.at(ring.last - 1)).toBeUndefined();
  });

  it('have no pieces of arguments, which cannot be looked through', () => {
    const ring = new FeedRing(() => 0);
    ring.tail();
    const data = { id: 'c', args_delta: '"password":"hunt' };
    ring.pushEvent('a', { ...event(''), type: 'tool_call_delta', data });
    expect(ring.at(1)).toMatchObject({ event: { data: { id: 'c', args_delta: '…' } } });
  });
});
