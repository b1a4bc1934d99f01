import { describe, expect, test, vi } from 'vitest';
import fc from '../../../test/support/property.js';
import { initialEncoderState, type LogChunk, type StoredEvent } from '../events.js';
import { Feed } from './feed.js';

const chunk = (n: number, events: number): LogChunk => ({
  n,
  t0: 0,
  enc: initialEncoderState,
  events: Array.from({ length: events }, (_, i) => ['text_delta', 0, { delta: `${n + i}` }] satisfies StoredEvent),
});

describe('the live end of a log', () => {
  test('begins where it is told, and finds nothing before something is there', () => {
    const feed = new Feed(7, 4);
    expect([feed.next, feed.find(6), feed.find(7)]).toEqual([7, undefined, undefined]);
  });

  test('finds the chunk of every event that is in the ring, and of no other', () => {
    fc.assert(
      fc.property(
        fc.nat(20),
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 30 }),
        (begin, size, lengths) => {
          const feed = new Feed(begin, size);
          const chunks: LogChunk[] = [];
          let next = begin;
          for (const length of lengths) {
            const added = chunk(next, length);
            feed.push(added);
            chunks.push(added);
            next += length;
          }
          expect(feed.next).toBe(next);
          const kept = chunks.slice(-size);
          for (let seq = -1; seq < next + 3; seq++)
            expect(feed.find(seq)).toBe(kept.find(({ n, events }) => n <= seq && seq < n + events.length));
        },
      ),
    );
  });

  test('a bell rings once, for a chunk or for the end, and not when it was taken back', () => {
    const feed = new Feed(0, 4);
    const [first, second, taken] = [vi.fn(), vi.fn(), vi.fn()];
    feed.onNext(first);
    feed.onNext(taken)();
    feed.push(chunk(0, 1));
    feed.push(chunk(1, 1));
    feed.onNext(second);
    feed.end();
    expect([first, second, taken].map((bell) => bell.mock.calls.length)).toEqual([1, 1, 0]);
    expect(feed.ended).toBe(true);
  });

  test('one that is hung up while the others ring waits for the next chunk', () => {
    const feed = new Feed(0, 4);
    const again = vi.fn();
    feed.onNext(() => void feed.onNext(again));
    feed.push(chunk(0, 1));
    expect(again).not.toHaveBeenCalled();
    feed.push(chunk(1, 1));
    expect(again).toHaveBeenCalledTimes(1);
  });
});
