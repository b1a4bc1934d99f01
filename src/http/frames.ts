/**
 * From log chunks to the bytes of an event stream. Pure.
 *
 * A surface supplies a `ChunkEncoder`: what each event becomes in its protocol. This file makes frames of it:
 * `id: <seq>` for an event that gives one frame, `id: <seq>.<n>` (n from 0) for one that gives several (CONTRACT 1.6),
 * and one `data:` line of JSON. Whole chunks are encoded once per encoder and shared by all readers of the run; a reader
 * that begins inside a chunk gets an encoding of its own.
 */

import type { LogChunk } from '../actors/events.js';

export type RunRef = { run_id: string; thread_id: string };

/**
 * The JSON texts of the frames of each event from index `from` on: one list per event, in order; an empty list for an
 * event that the protocol does not show. Must give the same texts however often and from wherever it is asked.
 */
export type ChunkEncoder = (chunk: LogChunk, run: RunRef, from: number) => Iterable<readonly string[]>;

/** The last frame a client has: all of event `seq`, or its frames up to number `sub`. */
export type Position = { seq: number; sub?: number };

export type EncodedChunk = {
  bytes: Buffer;
  /** Index of the chunk's event that `bytes` begins with. */
  from: number;
  /** `ends[i]`: where the frames of event `from + i` end in `bytes`. */
  ends: readonly number[];
  /** Indexes in the chunk of the `run_waiting` events. */
  pauses: readonly number[];
};

const BREAKS_A_LINE = /[\r\n]/;

/** One frame. Throws when `id` or `data` would break the wire. */
export function frame(id: string, data: string): string {
  if (BREAKS_A_LINE.test(id) || BREAKS_A_LINE.test(data)) throw new Error('a frame cannot contain a line break');
  return `id: ${id}\ndata: ${data}\n\n`;
}

function framesOf(seq: number, texts: readonly string[], after = -1): string {
  if (texts.length === 1) return after < 0 ? frame(`${seq}`, texts[0]!) : '';
  let out = '';
  for (let n = after + 1; n < texts.length; n++) out += frame(`${seq}.${n}`, texts[n]!);
  return out;
}

/** Encodes a chunk from index `from` on, without the frames at or before `seen`. */
export function encodeChunk(
  encode: ChunkEncoder,
  chunk: LogChunk,
  run: RunRef,
  from = 0,
  seen?: Position,
): EncodedChunk {
  const cuts: number[] = [];
  let text = '';
  let seq = chunk.n + from;
  for (const texts of encode(chunk, run, from)) {
    text += framesOf(seq, texts, seen?.seq === seq ? (seen.sub ?? Infinity) : -1);
    cuts.push(text.length);
    seq++;
  }
  const bytes = Buffer.from(text);
  // Most texts are ASCII, where a character is a byte.
  const ends = bytes.length === text.length ? cuts : inBytes(cuts, text);
  return { bytes, from, ends, pauses: pausesOf(chunk) };
}

/** Places in a text as places in its bytes. */
function inBytes(cuts: readonly number[], text: string): number[] {
  let [before, bytes] = [0, 0];
  return cuts.map((cut) => {
    bytes += Buffer.byteLength(text.slice(before, cut));
    before = cut;
    return bytes;
  });
}

function pausesOf(chunk: LogChunk): number[] {
  const pauses: number[] = [];
  for (let i = 0; i < chunk.events.length; i++) if (chunk.events[i]![0] === 'run_waiting') pauses.push(i);
  return pauses;
}

/** One protocol's frames of whole chunks, encoded once each and kept as long as the chunk itself. */
export class SharedFrames {
  #whole = new WeakMap<LogChunk, EncodedChunk>();

  constructor(private readonly encode: ChunkEncoder) {}

  /** The frames of a chunk from index `from` on, without those the client has seen. */
  of(chunk: LogChunk, run: RunRef, from: number, seen?: Position): EncodedChunk {
    if (from > 0 || seen?.seq === chunk.n) return encodeChunk(this.encode, chunk, run, from, seen);
    let whole = this.#whole.get(chunk);
    if (!whole) this.#whole.set(chunk, (whole = encodeChunk(this.encode, chunk, run)));
    return whole;
  }
}
