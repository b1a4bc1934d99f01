/** Every frame that any surface shows of a log, told from any of its events on. */

import type { Engine } from '../../src/actors/engine.js';
import type { LogChunk } from '../../src/actors/events.js';
import type { Message } from '../../src/actors/records.js';
import { protocolFrames } from '../../src/http/a2a/protocol/encoder.js';
import { agUiFrames } from '../../src/http/ag-ui/encoder.js';
import { load } from '../../src/http/ag-ui/stored-messages.js';
import { bridgedFrames, splitFrames } from '../../src/http/ai-sdk/turn-frames.js';
import type { RunRef, SharedFrames } from '../../src/http/frames.js';
import { canonicalFrames } from '../../src/http/runs/canonical.js';

const surfaces: Record<string, SharedFrames> = {
  canonical: canonicalFrames,
  'AG-UI': agUiFrames({ v1: false }),
  'AG-UI 1.0': agUiFrames({ v1: true }),
  'AG-UI under another id': agUiFrames({ v1: true, run_id: 'another' }),
  'chat SDK': bridgedFrames,
  'chat SDK in stretches': splitFrames,
  'A2A over HTTP': protocolFrames({ is: 'rest' }),
  'A2A over JSON-RPC 1.0': protocolFrames({ is: 'rpc', version: '1.0', id: 1 }),
  'A2A over JSON-RPC 0.3': protocolFrames({ is: 'rpc', version: '0.3', id: 'a' }),
};

/** The bytes from event `from` on, surface by surface. `chunks` begin at or before it. */
export async function framesFrom(
  chunks: readonly LogChunk[],
  from: number,
  run: RunRef,
  messages: readonly Message[],
): Promise<Record<string, string>> {
  const read = async ({ before = Infinity }: { before?: number }) => messages.filter(({ cursor }) => cursor < before);
  for (const chunk of chunks) await load(chunk, run.thread_id, { read } as unknown as Engine);
  const told = Object.entries(surfaces).map(([surface, frames]) => {
    const bytes = chunks.map((chunk) => frames.of(chunk, run, Math.max(from - chunk.n, 0)).bytes);
    return [surface, Buffer.concat(bytes).toString()] as const;
  });
  return Object.fromEntries(told);
}
