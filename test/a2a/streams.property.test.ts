/** Streams of the protocol over random logs: wherever a client joins, and however the log lies in chunks. */

import type { StreamResponse, TaskState } from '@a2a-js/sdk';
import { expect, it } from 'vitest';
import fc from '../support/property.js';
import type { LogChunk, StoredEvent } from '../../src/actors/events.js';
import type { RunRecord } from '../../src/actors/records.js';
import { encodeChunk } from '../../src/http/frames.js';
import { eventText } from '../../src/http/a2a/protocol/encoder.js';
import { protocolEvents } from '../../src/http/a2a/protocol/events.js';
import { Snapshot } from '../../src/http/a2a/protocol/snapshot.js';
import { isTerminal } from '../../src/http/a2a/protocol/states.js';
import { chunksOf } from '../ag-ui/log.js';
import { randomRun } from '../ag-ui/random-run.js';
import type { Said } from '../support/fake-engine.js';

const RUNS = 100;
const task = { run_id: 'r', thread_id: 't' };
const record = { ...task, created_at: 1_700_000_000_000 } as RunRecord;

type Known = { state: TaskState; text: Map<string, string> };

const eventsOf = (chunks: readonly LogChunk[]): [seq: number, event: StoredEvent, at: number][] =>
  chunks.flatMap(({ n, t0, events }) =>
    events.map((event, i) => [n + i, event, t0 + event[1]] as [number, StoredEvent, number]),
  );

/** What a client knows that joins behind event `seq`. */
function joined(chunks: readonly LogChunk[], seq: number): Known {
  const snapshot = new Snapshot(record);
  for (const [n, event, at] of eventsOf(chunks)) if (n <= seq) snapshot.see(n, event, at);
  return {
    state: snapshot.status.state,
    text: new Map(snapshot.said.map(({ message_id, text }) => [message_id, text])),
  };
}

/** What it knows when it has read on to the end. */
function readOn(known: Known, chunks: readonly LogChunk[], seq: number): Known {
  for (const chunk of chunks) {
    let n = chunk.n;
    for (const events of protocolEvents(chunk, task, 0)) if (n++ > seq) for (const event of events) apply(known, event);
  }
  return known;
}

function apply(known: Known, { payload }: StreamResponse): void {
  if (payload?.$case === 'statusUpdate') known.state = payload.value.status!.state;
  if (payload?.$case !== 'artifactUpdate') return;
  const { artifact, append } = payload.value;
  const { artifactId, parts } = artifact!;
  const piece = parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
  // A piece is appended to what was begun, and to nothing else.
  if (append) expect(known.text.has(artifactId)).toBe(true);
  known.text.set(artifactId, (append ? known.text.get(artifactId)! : '') + piece);
}

const shown = ({ state, text }: Known): unknown => [state, [...text].filter(([, said]) => said !== '')];

it('a client that joins anywhere knows in the end what one knows that was there from the beginning', () => {
  fc.assert(
    fc.property(randomRun, ({ chunks, messages }) => {
      const last = eventsOf(chunks).length - 1;
      const whole = readOn(joined(chunks, -1), chunks, -1);
      expect(isTerminal(whole.state)).toBe(true);
      for (let seq = 0; seq <= last; seq++)
        expect(shown(readOn(joined(chunks, seq), chunks, seq))).toEqual(shown(whole));
      for (const { role, id, content } of messages)
        if (role === 'assistant' && content !== '') expect(whole.text.get(id)).toBe(content);
    }),
    { numRuns: RUNS },
  );
});

it('the frames are the same however the log lies in chunks, and there is one at most for each event', () => {
  const notation = { is: 'rpc', version: '0.3', id: 1 } as const;
  const bytes = (chunks: readonly LogChunk[]): string =>
    chunks.map((chunk) => encodeChunk(encode, chunk, task).bytes.toString()).join('');
  function* encode(chunk: LogChunk, run: typeof task, from: number): Generator<string[]> {
    for (const events of protocolEvents(chunk, run, from)) {
      expect(events.length).toBeLessThanOrEqual(1);
      yield events.map((event) => eventText(event, notation));
    }
  }
  fc.assert(
    fc.property(randomRun, fc.array(fc.nat(60)), ({ chunks }, starts) => {
      const said = eventsOf(chunks).map(([, [type, , data]]) => [type, data] as Said);
      expect(bytes(chunksOf(said, starts))).toBe(bytes(chunksOf(said)));
    }),
    { numRuns: RUNS },
  );
});
