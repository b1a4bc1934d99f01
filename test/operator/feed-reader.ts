/** A client of the feed for tests: frames as they come, and waiting for one that is wanted. */

import { onTestFinished } from 'vitest';
import { readSse } from '../support/sse-client.js';

export type Frame = { id: string | null; data: { type: string; [key: string]: unknown } };

export class FeedReader {
  readonly frames: Frame[] = [];
  readonly #abort = new AbortController();
  readonly #iterator: AsyncGenerator<{ id: string | null; data: string }>;

  constructor(url: string, query = '', lastEventId?: string) {
    this.#iterator = readSse(`${url}/v1/actors/events${query}`, {
      signal: this.#abort.signal,
      headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    });
    onTestFinished(() => this.close());
  }

  /** The next frame; undefined when the stream has ended. */
  async next(): Promise<Frame | undefined> {
    const { value, done } = await this.#iterator.next();
    if (done) return undefined;
    const frame = { id: value.id, data: JSON.parse(value.data) as Frame['data'] };
    this.frames.push(frame);
    return frame;
  }

  /** Reads up to and including the first frame that fits; throws when the stream ends before. */
  async until(fits: (frame: Frame) => boolean): Promise<Frame> {
    for (let frame = await this.next(); frame; frame = await this.next()) if (fits(frame)) return frame;
    throw new Error('the stream has ended');
  }

  close(): void {
    this.#abort.abort();
  }
}

export const ofType =
  (...types: string[]) =>
  ({ data }: Frame): boolean =>
    types.includes(data.type);

/** The end of an actor. */
export const endOf =
  (id: string) =>
  ({ data }: Frame): boolean =>
    data.type === 'ended' && data['id'] === id;
