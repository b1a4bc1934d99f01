/** Merged frames: they lead where single ones lead, come when they should, and leave no event out. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import fc from '../../../../test/support/property.js';
import type { ActorItem, FeedEntry } from '../../../actors/inspection.js';
import { FeedRing } from '../../../actors/live/ring.js';
import { Batches } from './batches.js';
import { merged } from './merge.js';
import { wishOf } from './wish.js';

const EVERY = 100;

const moved = (id: string, to: string): FeedEntry => ({
  type: 'transition',
  at: 0,
  actor: { id: `run:${id}`, kind: 'run', path: [to], thread_id: id, run_id: id } as ActorItem,
  event: 'E',
  from: [],
  to: [to],
});
const ended = (id: string): FeedEntry => ({
  type: 'ended',
  at: 0,
  id: `run:${id}`,
  kind: 'run',
  thread_id: id,
  run_id: id,
  agent_id: 'a',
  outcome: 'natural',
  detail: null,
});
const queued = (thread_id: string, n: number): FeedEntry => ({ type: 'queued', at: 0, thread_id, queued: n });
const said = (seq: number): FeedEntry => ({ type: 'event', at: 0, agent_id: 'a', event: { seq } as never });

/** What a reader knows in the end. */
function known(entries: readonly FeedEntry[]) {
  const state = new Map<string, unknown>();
  const events: unknown[] = [];
  for (const entry of entries) {
    if (entry.type === 'event') events.push(entry.event);
    else if (entry.type === 'queued') state.set(`queued ${entry.thread_id}`, entry.queued);
    else if (entry.type === 'ended') state.delete(entry.id);
    else state.set(entry.actor.id, entry.actor.path);
  }
  return { state: Object.fromEntries([...state].sort(([a], [b]) => (a < b ? -1 : 1))), events };
}

it('what is merged, in any pieces, leads where all of it leads', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const entry = fc.oneof(
    fc.tuple(id, fc.constantFrom('x', 'y', 'z')).map(([run, to]) => moved(run, to)),
    id.map(ended),
    fc.tuple(id, fc.nat(5)).map(([thread, n]) => queued(thread, n)),
    fc.nat(99).map(said),
  );
  fc.assert(
    fc.property(fc.array(fc.array(entry, { maxLength: 12 }), { maxLength: 5 }), (pieces) => {
      expect(known(pieces.flatMap(merged))).toEqual(known(pieces.flat()));
      for (const piece of pieces) expect(merged(piece).filter(({ type }) => type !== 'event').length).toBeLessThan(7);
    }),
    { numRuns: 200 },
  );
});

describe('batches', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  type Frame = { id: number; type: string; left_out: number; entries: { type: string; id?: string; to?: string[] }[] };

  /** A reader that takes what there is whenever it is woken. */
  function reader(query = {}) {
    const feed = new FeedRing(() => Date.now());
    feed.watch({ tail: true });
    let position = feed.last;
    const frames: Frame[] = [];
    const read = (): void => {
      for (let next = batches.next(position); next; next = batches.next(position)) {
        position = next.position;
        const [, n, data] = /^id: \w+-(\d+)\ndata: (.*)\n\n$/.exec(next.text) ?? [];
        if (data !== undefined) frames.push({ ...(JSON.parse(data) as Frame), id: Number(n) });
      }
    };
    const wish = wishOf({ include: undefined, every: EVERY, ...query } as Parameters<typeof wishOf>[0]);
    const batches = new Batches(feed, wish, EVERY, read);
    const tell = (...entries: FeedEntry[]): void => {
      for (const entry of entries) feed.push(entry);
      read();
    };
    return { feed, frames, batches, tell };
  }

  it('tell at once what comes after a rest, and the rest of it when the time is over', () => {
    const { feed, frames, tell } = reader();
    tell(moved('a', 'x'));
    expect(frames).toMatchObject([{ id: feed.last, type: 'batch', left_out: 0, entries: [{ to: ['x'] }] }]);
    tell(moved('a', 'y'), moved('b', 'x'));
    tell(moved('a', 'z'), queued('a', 1), queued('a', 2));
    vi.advanceTimersByTime(EVERY - 1);
    expect(frames).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(frames[1]).toMatchObject({
      id: feed.last,
      left_out: 2,
      entries: [
        { type: 'transition', to: ['x'] },
        { type: 'transition', to: ['z'] },
        { type: 'queued', queued: 2 },
      ],
    });
    vi.advanceTimersByTime(10 * EVERY);
    expect(frames).toHaveLength(2);
    tell(ended('a'));
    expect(frames).toHaveLength(3);
  });

  it('wait for nothing when there is much', () => {
    const { frames, tell } = reader();
    tell(...Array.from({ length: 4_100 }, (_, i) => moved(`r${i}`, 'x')));
    expect(frames.map(({ entries }) => entries.length)).toEqual([2_000, 2_000, 100]);
    tell(moved('a', 'x'));
    expect(frames).toHaveLength(3);
  });

  it('bring the newest report of progress of each call that is not over', () => {
    const { frames, batches, tell } = reader();
    const report = (call: string, progress: number): void =>
      batches.report({ at: 0, id: call, thread_id: 't', run_id: 'r', agent_id: 'a', progress, message: null });
    for (const progress of [0.1, 0.2]) report('tool_call:r:1', progress);
    report('run:a', 0.9);
    tell(ended('a'));
    expect(frames[0]!.entries.map(({ type, id }) => [type, id])).toEqual([
      ['ended', 'run:a'],
      ['progress', 'tool_call:r:1'],
    ]);
    expect(frames[0]!.entries[1]).toMatchObject({ progress: 0.2 });
  });

  it('are not written when nothing in them was asked for', () => {
    const { frames, tell } = reader({ agent_id: 'other' });
    tell(ended('a'));
    vi.advanceTimersByTime(EVERY);
    expect(frames).toEqual([]);
  });
});
