/**
 * Thousands of random runs, encoded, and given to the schemas, the verifiers and the reducers of the real clients; and cut
 * at every frame.
 */

import { describe, expect, it } from 'vitest';
import { enforceEvents } from '@ag-ui/client';
import { from, lastValueFrom, toArray } from 'rxjs';
import fc, { inputs } from '../support/property.js';
import type { Engine } from '../../src/actors/engine.js';
import { agUiEncoder, agUiFrames, type Variant } from '../../src/http/ag-ui/encoder.js';
import { toAgUiMessages } from '../../src/http/ag-ui/messages.js';
import { load } from '../../src/http/ag-ui/stored-messages.js';
import { encodeChunk } from '../../src/http/frames.js';
import { accept, clients, messagesAfter, type WireEvent, type WireMessage } from './clients.js';
import { randomRun, type RandomRun } from './random-run.js';

const run = { run_id: 'r', thread_id: 't' };
const RUNS = inputs(1_000);
const TIME_LIMIT = 120 * RUNS;

/** Loads what the frames show, as the reader of a stream does. */
async function prepare({ chunks, messages }: RandomRun): Promise<void> {
  const read = async ({ before = Infinity }: { before?: number }) => messages.filter(({ cursor }) => cursor < before);
  for (const chunk of chunks) await load(chunk, 't', { read } as unknown as Engine);
}

function eventsOf({ chunks }: RandomRun, variant: Variant): WireEvent[] {
  const encode = agUiEncoder(variant);
  return chunks.flatMap((chunk) => [...encode(chunk, run, 0)].flat().map((text) => JSON.parse(text) as WireEvent));
}

/** The streams a client gets: each ends at a pause. */
function streamsOf(events: WireEvent[]): WireEvent[][] {
  const streams: WireEvent[][] = [];
  for (const event of events) {
    if (event.type === 'RUN_STARTED') streams.push([]);
    streams.at(-1)!.push(event);
  }
  return streams;
}

async function check(property: (made: RandomRun) => Promise<void>, numRuns = RUNS): Promise<void> {
  const prepared = fc.asyncProperty(randomRun, async (made) => {
    await prepare(made);
    await property(made);
  });
  await fc.assert(prepared, { numRuns });
}

describe(`${RUNS} random runs as AG-UI events`, () => {
  it.each(clients)(
    'client $version accepts each stream, and all in one',
    async (client) => {
      await check(async (made) => {
        const events = eventsOf(made, { v1: client.v1 });
        for (const stream of streamsOf(events)) await accept(client, stream);
        await accept(client, events);
      });
    },
    TIME_LIMIT,
  );

  it(
    'no client finds anything to strip',
    async () => {
      await check(async (made) => {
        const events = eventsOf(made, { v1: true });
        const kept = await lastValueFrom(enforceEvents()(from(events as never[])).pipe(toArray()));
        expect(kept).toEqual(events);
      }, RUNS / 4);
    },
    TIME_LIMIT,
  );

  it.each(clients.filter(({ version }) => version !== '0.0.47'))(
    'client $version ends up with the messages of the history',
    async (client) => {
      await check(async (made) => {
        if (made.cut_off) return;
        const events = eventsOf(made, { v1: client.v1 });
        const seen = await messagesAfter(client, events, [{ id: 'u', role: 'user', content: 'hi' }]);
        expect(spoken(seen)).toEqual(spoken(toAgUiMessages(made.messages)));
      }, RUNS / 4);
    },
    TIME_LIMIT,
  );

  it(
    'have no nulls, no empty deltas, integer times, and frames of one line',
    async () => {
      await check(async ({ chunks }) => {
        for (const chunk of chunks) {
          for (const text of [...agUiEncoder({ v1: true })(chunk, run, 0)].flat()) {
            expect(text).not.toMatch(/[\r\n]/);
            const event = JSON.parse(text) as WireEvent;
            expect(event.delta).not.toBe('');
            expect(event.timestamp).toSatisfy(Number.isSafeInteger);
            expect(Object.values(event)).not.toContain(null);
          }
        }
      });
    },
    TIME_LIMIT,
  );
});

/** Without what only the client has, what a stream does not say, and the order of calls that were made side by side. */
const spoken = (messages: readonly object[]): object[] =>
  (messages as WireMessage[])
    .filter(({ role }) => role !== 'reasoning' && role !== 'activity')
    .map(({ error: _, toolCalls, ...message }) =>
      toolCalls ? { ...message, toolCalls: (toolCalls as { id: string }[]).sort(byId) } : message,
    );
const byId = (a: { id: string }, b: { id: string }): number => a.id.localeCompare(b.id);

describe('a stream that is cut behind any frame and resumed', () => {
  it.each<[string, Variant]>([
    ['0.0.x', { v1: false }],
    ['1.0', { v1: true }],
    ['with a run id of the client', { v1: true, run_id: 'outer' }],
  ])(
    'is the unbroken one (%s)',
    async (_, variant) => {
      await check(async ({ chunks }) => {
        const encode = agUiEncoder(variant);
        const frames = agUiFrames(variant);
        for (const chunk of chunks) {
          const whole = frames.of(chunk, run, 0).bytes.toString();
          const unbroken = framesIn(whole);
          for (const [i, { id }] of unbroken.entries()) {
            const [seq, sub] = id.split('.').map(Number) as [number, number | undefined];
            const seen = sub === undefined ? { seq } : { seq, sub };
            const resumed = encodeChunk(encode, chunk, run, seq - chunk.n, seen).bytes.toString();
            expect(resumed).toBe(
              unbroken
                .slice(i + 1)
                .map(({ text }) => text)
                .join(''),
            );
          }
        }
      });
    },
    TIME_LIMIT,
  );

  it(
    'has dense sequence numbers, each followed by its own',
    async () => {
      await check(async ({ chunks }) => {
        let last = { seq: -1, sub: 0 };
        for (const chunk of chunks) {
          for (const { id } of framesIn(agUiFrames({ v1: false }).of(chunk, run, 0).bytes.toString())) {
            const [seq, sub = -1] = id.split('.').map(Number) as [number, number | undefined];
            if (sub <= 0) expect(seq).toBeGreaterThan(last.seq);
            else expect({ seq, sub }).toEqual({ seq: last.seq, sub: last.sub + 1 });
            last = { seq, sub };
          }
        }
      }, RUNS / 4);
    },
    TIME_LIMIT,
  );
});

const framesIn = (text: string): { id: string; text: string }[] =>
  [...text.matchAll(/id: (\S+)\ndata: [^\n]*\n\n/g)].map(([frame, id]) => ({ id: id!, text: frame }));
