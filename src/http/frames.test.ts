import { describe, expect, it } from 'vitest';
import { canonicalEvents, initialEncoderState, type LogChunk } from '../actors/events.js';
import { encodeChunk, frame, SharedFrames, type ChunkEncoder } from './frames.js';
import { encodeCanonical } from './runs/canonical.js';

const run = { run_id: 'r', thread_id: 't' };
const chunk: LogChunk = {
  n: 4,
  t0: 1000,
  enc: initialEncoderState,
  events: [
    ['text_delta', 0, { delta: 'a\n€' }],
    ['run_waiting', 3, { pending: [] }],
    ['run_resumed', 5, { decisions: [] }],
  ],
};
/** Event 4 gives three frames, event 5 none, event 6 one. */
const uneven: ChunkEncoder = function* (_chunk, _run, from) {
  yield* [['"4a"', '"4b"', '"4c"'], [], ['"6"']].slice(from);
};
const idsOf = (bytes: Buffer) => [...bytes.toString().matchAll(/^id: (.*)$/gm)].map(([, id]) => id);

describe('frames', () => {
  it('are an id line and one data line', () => expect(frame('7', '{"a":1}')).toBe('id: 7\ndata: {"a":1}\n\n'));

  it.each([
    ['7\n', '{}'],
    ['7\r', '{}'],
    ['7', '{\n}'],
  ])('refuse what would break the wire: %j %j', (id, data) => expect(() => frame(id, data)).toThrow('line break'));

  it('of canonical events keep line breaks of texts inside the JSON', () => {
    const { bytes } = encodeChunk(encodeCanonical, chunk, run);
    expect(bytes.toString().split('\n\n')[0]).toBe(
      'id: 4\ndata: {"type":"text_delta","run_id":"r","thread_id":"t","seq":4,"timestamp_ms":1000,"data":{"delta":"a\\n€"}}',
    );
  });

  it.each([0, 1, 3])('of canonical events from index %i on are what JSON makes of them', (from) => {
    const strange = { run_id: 'r"\\\n', thread_id: 'ü' };
    const events: LogChunk['events'] = [
      ['run_start', 0, { agent_id: 'a', parent_run_id: null, parent_thread_id: null, origin: 'user' }],
      ['step_start', 1, { message_id: 'm' }],
      ['text_delta', 2, { delta: '"\u2028' }],
      ['step_end', 7, { finish_reason: 'stop' }],
    ];
    const told = { ...chunk, events };
    expect([...encodeCanonical(told, strange, from)].flat()).toEqual(
      [...canonicalEvents(told, strange, from)].map((event) => JSON.stringify(event)),
    );
  });

  it('know where each event ends and where the pauses are', () => {
    const { bytes, ends, pauses } = encodeChunk(encodeCanonical, chunk, run);
    expect(ends).toHaveLength(3);
    expect(ends[2]).toBe(bytes.length);
    expect(idsOf(bytes.subarray(0, ends[1]))).toEqual(['4', '5']);
    expect(pauses).toEqual([1]);
  });

  it('that share an event are numbered within it', () =>
    expect(idsOf(encodeChunk(uneven, chunk, run).bytes)).toEqual(['4.0', '4.1', '4.2', '6']));

  it.each([
    [{ seq: 4, sub: 0 }, 0, ['4.1', '4.2', '6']],
    [{ seq: 4, sub: 2 }, 0, ['6']],
    [{ seq: 4 }, 0, ['6']],
    [{ seq: 5 }, 1, ['6']],
    [{ seq: 6 }, 2, []],
    [{ seq: 6, sub: 0 }, 2, []],
  ])('go on after %j', (seen, from, ids) => {
    const { bytes, ends } = encodeChunk(uneven, chunk, run, from, seen);
    expect(idsOf(bytes)).toEqual(ids);
    expect(ends.at(-1)).toBe(bytes.length);
  });

  it('of whole chunks are encoded once for all readers', () => {
    let encoded = 0;
    const shared = new SharedFrames(function* (...args) {
      encoded++;
      yield* encodeCanonical(...args);
    });
    const first = shared.of(chunk, run, 0);
    expect(shared.of(chunk, run, 0, { seq: 3 })).toBe(first);
    expect(encoded).toBe(1);
    expect(idsOf(shared.of(chunk, run, 0, { seq: 4 }).bytes)).toEqual(['5', '6']);
    expect(idsOf(shared.of(chunk, run, 2).bytes)).toEqual(['6']);
    expect(shared.of(chunk, run, 0)).toBe(first);
  });
});
