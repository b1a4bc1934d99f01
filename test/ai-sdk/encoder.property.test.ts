/** Random runs through the encoder, judged by the client libraries: the oldest of the line and the newest. */

import * as newest from 'ai';
import * as oldest from 'ai-601';
import type { UIMessage, UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import fc, { inputs } from '../support/property.js';
import type { LogChunk } from '../../src/actors/events.js';
import { uiEncoder, type Pauses } from '../../src/http/ai-sdk/encoder.js';
import { encodeChunk } from '../../src/http/frames.js';
import { uiMessageOf } from '../../src/http/ai-sdk/ui-messages.js';
import { CallFold, type CallStates } from '../../src/http/ai-sdk/run-log.js';
import { asStored } from './chat.js';
import { randomRun, run } from './random-run.js';

const RUNS = inputs(1_000);

/** The chunks that a reader of the whole log gets. */
const encode = (chunks: LogChunk[], pauses: Pauses): UIMessageChunk[] =>
  chunks.flatMap((chunk) =>
    [...uiEncoder(pauses)(chunk, run, 0)].flat().map((json) => JSON.parse(json) as UIMessageChunk),
  );

/** A chunk that ends the client's stream with an error is the run's own; everything else must be taken without one. */
async function fold(
  library: typeof newest,
  chunks: UIMessageChunk[],
  message?: UIMessage,
): Promise<UIMessage | undefined> {
  const errors: unknown[] = [];
  const told = chunks.flatMap((chunk) => (chunk.type === 'error' ? [chunk.errorText] : []));
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last = message;
  const onError = (error: unknown): void => void errors.push((error as Error).message);
  for await (const state of library.readUIMessageStream({ stream, onError, ...(message ? { message } : {}) }))
    last = state;
  expect(errors).toEqual(told);
  return last;
}

const plain = (message: UIMessage | undefined): unknown => JSON.parse(JSON.stringify(message ?? null));
const property = (
  check: (sample: { chunks: LogChunk[]; messages: Parameters<typeof uiMessageOf>[0] }) => Promise<void> | void,
) =>
  fc.assert(
    fc.asyncProperty(randomRun, async (sample) => check(sample)),
    { numRuns: RUNS },
  );

it('every chunk is one that all clients take', async () => {
  const schemas = [newest.uiMessageChunkSchema(), (oldest as unknown as typeof newest).uiMessageChunkSchema()];
  await property(async ({ chunks }) => {
    for (const chunk of encode(chunks, 'split')) {
      for (const schema of schemas) {
        const checked = await schema.validate!(chunk);
        if (!checked.success) throw new Error(`${JSON.stringify(chunk)}: ${checked.error.message}`);
      }
    }
  });
});

it('a response has one start in front and one end behind, and its steps and parts are begun and ended in pairs', () =>
  property(({ chunks }) => {
    const all = encode(chunks, 'bridged');
    const open = new Set<string>();
    let inStep = false;
    for (const [i, chunk] of all.entries()) {
      if (chunk.type === 'start') expect(i).toBe(0);
      if (chunk.type === 'start-step') [inStep] = [true, expect(inStep).toBe(false)];
      if (chunk.type === 'finish-step') [inStep] = [false, expect(inStep).toBe(true), expect([...open]).toEqual([])];
      if (chunk.type === 'text-start' || chunk.type === 'reasoning-start') {
        expect(open.has(chunk.id)).toBe(false);
        open.add(chunk.id);
      }
      if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') expect(open.has(chunk.id)).toBe(true);
      if (chunk.type === 'text-end' || chunk.type === 'reasoning-end') expect(open.delete(chunk.id)).toBe(true);
    }
    expect([inStep, open.size]).toEqual([false, 0]);
    expect(['finish', 'abort']).toContain(all.at(-1)!.type);
    expect(all.filter(({ type }) => type === 'finish' || type === 'abort')).toHaveLength(1);
    const parts = all.flatMap((chunk) => (chunk.type === 'text-start' ? [chunk.id] : []));
    expect(new Set(parts).size).toBe(parts.length);
  }));

it('every client folds it without an error, and leaves no call open', () =>
  property(async ({ chunks }) => {
    const all = encode(chunks, 'bridged');
    for (const library of [newest, oldest as unknown as typeof newest]) {
      const message = await fold(library, all);
      const states = message?.parts.flatMap((part) => (newest.isToolUIPart(part) ? [part.state] : [])) ?? [];
      expect(states.filter((state) => !state.startsWith('output-'))).toEqual([]);
      expect(message?.parts.filter((part) => part.type === 'text' && part.state !== 'done') ?? []).toEqual([]);
    }
  }));

it('in stretches from pause to pause it gives the same message as in one', () =>
  property(async ({ chunks }) => {
    let message: UIMessage | undefined;
    let stretch: UIMessageChunk[] = [];
    for (const chunk of encode(chunks, 'split')) {
      stretch.push(chunk);
      if (chunk.type !== 'finish' && chunk.type !== 'abort') continue;
      message = await fold(newest, stretch, message);
      stretch = [];
    }
    expect(plain(message)).toEqual(plain(await fold(newest, encode(chunks, 'bridged'))));
  }));

it('cut behind every frame and resumed it is the unbroken stream', () =>
  property(({ chunks }) => {
    const encoder = uiEncoder('bridged');
    const bytes = chunks.map((chunk) => encodeChunk(encoder, chunk, run).bytes);
    const all = Buffer.concat(bytes).toString();
    const frames = all.split(/(?<=\n\n)/).filter((frame) => frame !== '');
    for (const [i, frame] of frames.entries()) {
      const [, seq, sub] = /^id: (\d+)(?:\.(\d+))?$/m.exec(frame)!;
      const seen = { seq: Number(seq), ...(sub === undefined ? {} : { sub: Number(sub) }) };
      const at = chunks.findLastIndex(({ n }) => n <= seen.seq);
      const first = encodeChunk(encoder, chunks[at]!, run, seen.seq - chunks[at]!.n, seen).bytes;
      expect(Buffer.concat([first, ...bytes.slice(at + 1)]).toString()).toBe(frames.slice(i + 1).join(''));
    }
  }));

it('the history has what the stream has given, under the same id', () =>
  property(async ({ chunks, messages }) => {
    const all = encode(chunks, 'bridged');
    // Of what is void the client keeps more than the thread.
    if (all.some(({ type }) => type === 'data-inference-retry')) return;
    const streamed = await fold(newest, all);
    if (messages.length === 0) {
      expect(streamed?.parts.filter(({ type }) => type === 'text') ?? []).toEqual([]);
      return;
    }
    const stored = uiMessageOf(messages, run.thread_id, callsIn(chunks));
    const checked = await newest.safeValidateUIMessages({ messages: [stored] });
    if (!checked.success) throw checked.error;
    expect(comparable(stored as unknown as UIMessage)).toEqual(comparable(streamed!));
  }));

function callsIn(chunks: LogChunk[]): CallStates {
  const fold = new CallFold();
  for (const { n, events } of chunks) for (const [i, event] of events.entries()) fold.see(n + i, event);
  return fold.calls;
}

/**
 * What both have of each step: its text and its calls. The thread does not keep the order of the two, nor calls that were
 * never complete, nor whether a result that reads as JSON was a text; a client does not know why something was denied
 * before it has said so.
 */
function comparable(message: UIMessage): unknown {
  const [{ id, parts }] = asStored([message]) as [UIMessage];
  const steps: { text: string; calls: unknown[] }[] = [];
  for (const part of parts) {
    if (part.type === 'step-start') steps.push({ text: '', calls: [] });
    else if (part.type === 'text') steps.at(-1)!.text += part.text;
    else if (newest.isToolUIPart(part) && !part.errorText?.startsWith('was not called')) {
      steps.at(-1)!.calls.push({ ...part, approval: undefined, output: read(part.output) });
    }
  }
  return { id, steps: steps.filter(({ text, calls }) => text !== '' || calls.length > 0) };
}

function read(output: unknown): unknown {
  try {
    return typeof output === 'string' ? (JSON.parse(output) as unknown) : output;
  } catch {
    return output;
  }
}
