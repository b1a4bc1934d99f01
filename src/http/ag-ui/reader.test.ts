import { describe, expect, it } from 'vitest';
import { say, type Said } from '../../../test/support/fake-engine.js';
import { chunksOf } from '../../../test/ag-ui/log.js';
import type { Engine, EventReader, LogSlice } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import { AgUiReader } from './reader.js';
import { isAtHand } from './stored-messages.js';

const retry: Said = ['inference_retry', { attempt: 1, reason: 'x', messages_upto: 1 }];
const engine = { read: async () => [] } as unknown as Engine;

/** A log that hands out these slices, the last of them later. */
function logOf(...slices: LogSlice[]): EventReader {
  return {
    run: { run_id: 'r', thread_id: 't' } as RunRecord,
    get caughtUp() {
      return slices.length === 0;
    },
    next: () => (slices.length > 1 ? slices.shift() : Promise.resolve(slices.shift())),
    close: () => void (slices.length = 0),
  };
}

const [one, two] = chunksOf([say.start(), say.waiting(), say.resumed(), say.text('a')], [2]) as [
  LogSlice['chunk'],
  LogSlice['chunk'],
];

describe('AgUiReader', () => {
  it('hands on what is at hand as it is', async () => {
    const reader = new AgUiReader(logOf({ chunk: one, from: 0 }, { chunk: two, from: 0 }), engine);
    expect(reader.next()).toEqual({ chunk: one, from: 0 });
    expect(await reader.next()).toEqual({ chunk: two, from: 0 });
    expect(await reader.next()).toBeUndefined();
  });

  it('loads what the frames of a chunk show first', async () => {
    const [chunk] = chunksOf([say.start(), retry]) as [LogSlice['chunk']];
    const reader = new AgUiReader(logOf({ chunk, from: 0 }, { chunk: two, from: 0 }), engine);
    expect(isAtHand(chunk)).toBe(false);
    expect(await reader.next()).toEqual({ chunk, from: 0 });
    expect(isAtHand(chunk)).toBe(true);
  });

  it('passes over the event that the client has whole', async () => {
    const slices = (): [LogSlice, LogSlice] => [
      { chunk: one, from: 1 },
      { chunk: two, from: 0 },
    ];
    expect(await new AgUiReader(logOf(...slices()), engine, { seq: 1 }).next()).toEqual({ chunk: two, from: 0 });
    expect(new AgUiReader(logOf(...slices()), engine, { seq: 1, sub: 0 }).next()).toEqual({ chunk: one, from: 1 });
    const whole = new AgUiReader(logOf({ chunk: one, from: 0 }, { chunk: two, from: 0 }), engine, { seq: 0 });
    expect(whole.next()).toEqual({ chunk: one, from: 1 });
    expect(await whole.next()).toEqual({ chunk: two, from: 0 });
  });

  it('shows the next slice and keeps it', async () => {
    const reader = new AgUiReader(logOf({ chunk: one, from: 0 }, { chunk: two, from: 0 }), engine);
    expect(await reader.peek()).toEqual({ chunk: one, from: 0 });
    expect(reader.caughtUp).toBe(false);
    expect(reader.next()).toEqual({ chunk: one, from: 0 });
    await reader.peek();
    expect(reader.caughtUp).toBe(false);
    await reader.next();
    expect(reader.caughtUp).toBe(true);
  });
});
