/**
 * The stored messages that some frames show (`inference_retry`), at hand before the frame is encoded.
 *
 * Encoding is synchronous and pure; a frame that shows the thread up to a cursor needs a read. So the reader of an AG-UI
 * stream (`reader.ts`) loads what a chunk will need before it hands the chunk on, and the encoder looks it up here.
 * Messages in front of a cursor never change, so whoever loads them, whenever, gets the same. Kept as long as the chunk.
 */

import type { Engine } from '../../actors/engine.js';
import type { LogChunk } from '../../actors/events.js';
import type { AgUiMessage } from './events.js';
import { toAgUiMessages } from './messages.js';

type Loaded = Map<number, readonly AgUiMessage[]>;

const loaded = new WeakMap<LogChunk, Loaded>();

/** The cursors up to which frames of the chunk show the thread. */
function cursorsIn({ events }: LogChunk): number[] {
  const cursors: number[] = [];
  for (const event of events) if (event[0] === 'inference_retry') cursors.push(event[2].messages_upto);
  return cursors;
}

/** Nothing has to be loaded before the chunk can be encoded. */
export const isAtHand = (chunk: LogChunk): boolean => loaded.has(chunk) || cursorsIn(chunk).length === 0;

/** Makes the messages that frames of the chunk show available to `storedMessages`. */
export async function load(chunk: LogChunk, thread_id: string, engine: Engine): Promise<void> {
  const messages: Loaded = new Map();
  for (const before of cursorsIn(chunk)) {
    const stored = await engine.read({ kind: 'messages', thread_id, before });
    messages.set(before, toAgUiMessages(stored ?? []));
  }
  loaded.set(chunk, messages);
}

/** The messages in front of a cursor that an event of this chunk names. Throws when they were not loaded. */
export function storedMessages(chunk: LogChunk, upto: number): readonly AgUiMessage[] {
  const messages = loaded.get(chunk)?.get(upto);
  if (!messages) throw new Error(`the messages up to ${upto} were not loaded before their frame`);
  return messages;
}
