/** Stored chunks give back what was put in, whatever the state of the encoders; old ones without newer fields too. */

import { expect, test } from 'vitest';
import fc from '../../../test/support/property.js';
import { putRow } from '../thread/rows.js';
import * as keys from '../../store/keys.js';
import { MemoryStore } from '../../store/memory.js';
import { initialEncoderState, type EncoderState, type LogChunk } from '../events.js';
import { chunkOp, loadChunks, loadLastChunk } from './chunks.js';

const id = fc.string({ minLength: 1, maxLength: 5 });
const ids = fc.array(id, { maxLength: 3 });
const anyState: fc.Arbitrary<EncoderState> = fc.record({
  step: fc.option(fc.nat()),
  message_id: fc.option(id),
  turn_id: fc.option(id),
  in_step: fc.boolean(),
  part: fc.nat(3),
  said: fc.boolean(),
  open: fc.constantFrom(null, 'text', 'reasoning'),
  calls: ids,
  paused: fc.boolean(),
  ended: fc.constantFrom(null, 'stop', 'tool-calls', 'error', 'other'),
  made: ids,
  asked: fc.array(
    fc.record({ id, kind: fc.constantFrom('approval', 'frontend', 'input', 'in_doubt'), times: fc.nat(3) }),
    { maxLength: 2 },
  ),
});

test('the state of the encoders comes back as it was, fields that are missing as they are at first', async () => {
  let rno = 0;
  const store = new MemoryStore();
  expect(Object.keys(initialEncoderState).sort()).toEqual(Object.keys(fc.sample(anyState, 1)[0]!).sort());
  await fc.assert(
    fc.asyncProperty(fc.array(anyState, { minLength: 1, maxLength: 5 }), fc.nat(1e12), async (states, t0) => {
      rno++;
      const chunks: LogChunk[] = states.map((enc, i) => ({
        n: 2 * i,
        t0,
        enc,
        events: [
          ['text_delta', 0, { delta: `${i}` }],
          ['reasoning_delta', i, { delta: 'x' }],
        ],
      }));
      await store.batch(chunks.map((chunk) => chunkOp(rno, chunk)));
      expect(await loadChunks(store, rno, -1)).toEqual(chunks);
      expect(await loadChunks(store, rno, 2, { limit: 1 })).toEqual(chunks.slice(1, 2));
      expect(await loadLastChunk(store, rno)).toEqual(chunks.at(-1));
    }),
    { numRuns: 60 },
  );
});

test('a fresh state takes no room, and an older row without a field reads as one with its first value', async () => {
  const store = new MemoryStore();
  const events: LogChunk['events'] = [['text_delta', 0, { delta: 'a' }]];
  await store.batch([chunkOp(1, { n: 0, t0: 5, enc: initialEncoderState, events })]);
  expect(JSON.parse((await store.get(keys.logChunk(1, 0)))!)).toEqual([5, {}, events]);
  await store.batch([putRow(keys.logChunk(2, 0), [5, { step: 3 }, events])]);
  expect((await loadLastChunk(store, 2))!.enc).toEqual({ ...initialEncoderState, step: 3 });
});

test('a run without a log has none', async () => {
  const store = new MemoryStore();
  expect([await loadChunks(store, 1, -1), await loadLastChunk(store, 1)]).toEqual([[], undefined]);
});
