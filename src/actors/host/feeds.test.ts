import { describe, expect, test } from 'vitest';
import { initialEncoderState, type LogChunk, type StoredEvent } from '../events.js';
import type { RunRecord } from '../records.js';
import { Cells } from '../thread/cells.js';
import { Feeds } from './feeds.js';
import type { ThreadHost } from '../thread/thread-host.js';

const record = (status: RunRecord['status'], thread_id = 't') => ({ status, thread_id }) as RunRecord;
const said: StoredEvent = ['text_delta', 0, { delta: 'x' }];
const end = ['run_finish', 0, {}] as unknown as StoredEvent;
const chunk = (n: number, ...events: StoredEvent[]): LogChunk => ({ n, t0: 0, enc: initialEncoderState, events });

/** A thread with one run of that state, whose log has `seq` events. */
function threadWith(rno: number, status: RunRecord['status'], seq?: number): ThreadHost {
  const cells = new Cells();
  cells.values.set(`r${rno}`, record(status));
  if (seq !== undefined) cells.values.set(`l${rno}`, { seq, enc: initialEncoderState, partial: '' });
  return { cells } as ThreadHost;
}

describe('the live ends of logs', () => {
  test('an open run has one, shared by all who ask, that begins where its log ends', () => {
    const feeds = new Feeds(4);
    const host = threadWith(1, 'running', 7);
    expect(feeds.of(1, host)!.next).toBe(7);
    expect(feeds.of(1, host)).toBe(feeds.of(1, host));
    expect(feeds.of(1, threadWith(1, 'waiting'))).toBe(feeds.of(1, host));
    expect(feeds.size).toBe(1);
  });

  test('a run that is over, or is not of the thread, has none', () => {
    const feeds = new Feeds(4);
    expect(feeds.of(1, threadWith(1, 'done'))).toBeUndefined();
    expect(feeds.of(2, threadWith(1, 'running'))).toBeUndefined();
    expect(feeds.size).toBe(0);
  });

  test('the last chunk ends it, and it stays at hand for those who come just too late', () => {
    const feeds = new Feeds(4);
    expect(feeds.publish(1, chunk(0, said), record('running'))).toBe(false);
    expect(feeds.recent(1)).toBeUndefined();
    const feed = feeds.of(1, threadWith(1, 'running', 1))!;
    expect(feeds.publish(1, chunk(1, said, end), record('done'))).toBe(true);
    expect([feed.ended, feed.next, feeds.size]).toEqual([true, 3, 0]);
    expect(feeds.recent(1)).toEqual({ feed, record: record('done') });
  });

  test('of the ended ones only so many are kept, the newest', () => {
    const feeds = new Feeds(4);
    for (let rno = 0; rno < 1_000; rno++) feeds.publish(rno, chunk(0, end), record('done'));
    expect(feeds.recent(999)).toBeDefined();
    const kept = Array.from({ length: 1_000 }, (_, rno) => feeds.recent(rno)).filter(Boolean);
    expect(kept.length).toBeLessThan(600);
  });

  test('a thread is watched while somebody reads one of its runs', () => {
    const feeds = new Feeds(4);
    const host = threadWith(1, 'running', 0);
    expect(feeds.isWatched(host)).toBe(false);
    const feed = feeds.of(1, host)!;
    feed.readers++;
    expect(feeds.isWatched(host)).toBe(true);
    feed.readers--;
    expect(feeds.isWatched(host)).toBe(false);
  });

  test('a thread that left memory has no live end; closing ends all of them', () => {
    const feeds = new Feeds(4);
    const host = threadWith(1, 'running', 3);
    const feed = feeds.of(1, host)!;
    feeds.forget(host);
    expect(feeds.of(1, host)).not.toBe(feed);
    feeds.endAll();
    expect(feeds.of(1, host)!.ended).toBe(true);
  });
});
