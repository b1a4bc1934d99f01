/** A folded log gives back every event, its time and the encoders' state, and with them every frame of every surface. */

import { describe, expect, it, test } from 'vitest';
import fc from '../../../test/support/property.js';
import { randomRun as agUiRun } from '../../../test/ag-ui/random-run.js';
import { randomRun as aiSdkRun } from '../../../test/ai-sdk/random-run.js';
import { advance, initialEncoderState, type LogChunk, type StoredEvent } from '../events.js';
import { foldLog, unfoldLog } from './folded-log.js';

type Told = { seq: number; at: number; enc: unknown; event: string };

/** What every encoder is given, event by event; `event` as text, because the order of fields is part of a frame. */
function told(chunks: readonly LogChunk[]): Told[] {
  return chunks.flatMap(({ n, t0, enc, events }) => {
    let state = enc;
    return events.map(([type, dt, data], i) => {
      const before = state;
      state = advance(state, events[i]!);
      return { seq: n + i, at: t0 + dt, enc: before, event: JSON.stringify([type, data]) };
    });
  });
}

/** A log of these events, one to a chunk, `ms` after each other. */
function logOf(events: [type: string, data: object][], ms = 1): LogChunk[] {
  let enc = initialEncoderState;
  return events.map(([type, data], n) => {
    const event = [type, 0, data] as unknown as StoredEvent;
    const chunk = { n, t0: 1_000 + n * ms, enc, events: [event] };
    enc = advance(enc, event);
    return chunk;
  });
}

const runs = fc.oneof(agUiRun, aiSdkRun);

test('random runs come back as they were, from every event on', () => {
  fc.assert(
    fc.property(runs, ({ chunks }) => {
      const folded = foldLog(chunks);
      const all = told(chunks);
      expect(told(unfoldLog(folded, -1))).toEqual(all);
      for (let after = -1; after < all.length; after++) {
        const rest = unfoldLog(folded, after);
        expect(told(rest).at(-1)).toEqual(after + 1 < all.length ? all.at(-1) : undefined);
        expect(rest[0]?.n ?? 0).toBeLessThanOrEqual(after + 1);
      }
    }),
    { numRuns: 300 },
  );
});

describe('a folded log', () => {
  it.each<[string, [string, object][]]>([
    [
      'halves of a character',
      [
        ['text_delta', { delta: '\ud83d' }],
        ['text_delta', { delta: '\ude00 \udead' }],
      ],
    ],
    [
      'empty deltas',
      [
        ['text_delta', { delta: '' }],
        ['text_delta', { delta: '' }],
        ['reasoning_delta', { delta: '' }],
      ],
    ],
    [
      'deltas with something more to them',
      [
        ['text_delta', { delta: 'a' }],
        ['text_delta', { delta: 'b', lang: 'en' }],
        ['text_delta', { delta: 'c' }],
      ],
    ],
    [
      'fields in another order',
      [
        ['tool_call_delta', { args_delta: '{', id: 'a' }],
        ['tool_call_delta', { id: 'a', args_delta: '}' }],
      ],
    ],
    [
      'calls that take turns',
      [
        ['tool_call_delta', { id: 'a', args_delta: '1' }],
        ['tool_call_delta', { id: 'b', args_delta: '2' }],
        ['tool_call_delta', { id: 'a', args_delta: '3' }],
      ],
    ],
    [
      'an answer that is no item',
      [
        ['text_delta', { delta: 'a' }],
        ['run_finish', { result: { response: 'b' } }],
      ],
    ],
    [
      'an answer among other things',
      [
        ['text_delta', { delta: 'a' }],
        ['run_finish', { x: 1, result: { y: 2, response: 'a', z: 3 }, w: 4 }],
      ],
    ],
    [
      'no answer',
      [
        ['text_delta', { delta: 'a' }],
        ['run_finish', { result: null }],
      ],
    ],
    [
      'events of a later version',
      [
        ['hail', { delta: 'a' }],
        ['hail', { id: 'b', args_delta: 'c' }],
      ],
    ],
  ])('keeps %s', (_, events) => {
    for (const ms of [0, 7, -3]) {
      const chunks = logOf(events, ms);
      expect(told(unfoldLog(foldLog(chunks), -1))).toEqual(told(chunks));
    }
  });

  it('has its text once and little besides', () => {
    const words = Array.from({ length: 20 }, (_, i) => ['text_delta', { delta: `word${i} ` }] as [string, object]);
    const response = words.map(([, data]) => (data as { delta: string }).delta).join('');
    const chunks = logOf([...words, ['run_finish', { result: { response } }]]);
    expect(foldLog(chunks).length).toBeLessThan(response.length + 200);
  });

  it('is read in pieces, from the one that holds the event', () => {
    const folded = foldLog(logOf(Array.from({ length: 1000 }, (_, i) => ['text_delta', { delta: `${i}` }])));
    expect(unfoldLog(folded, -1).map(({ n, events }) => [n, events.length])).toEqual([
      [0, 256],
      [256, 256],
      [512, 256],
      [768, 232],
    ]);
    expect(unfoldLog(folded, 254).map(({ n }) => n)).toEqual([0, 256, 512, 768]);
    expect(unfoldLog(folded, 255).map(({ n }) => n)).toEqual([256, 512, 768]);
    expect(unfoldLog(folded, 999)).toEqual([]);
  });

  it.each(['', '{}', '[2,0]', '[1,0,["text_delta"]]'])('that is none (%j) is not read', (text) =>
    expect(() => unfoldLog(text, -1)).toThrow(),
  );
});
