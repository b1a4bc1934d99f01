/** The frames of an event stream's body. Comments keep the stream alive and give no frame, but `onActivity` hears them. */

import type { Readable } from 'node:stream';
import { createParser } from 'eventsource-parser';

export type SseFrame = { id: string | undefined; data: string };

/** Leaving the loop closes the connection. A body that breaks off throws. */
export async function* readFrames(body: Readable, onActivity: () => void): AsyncGenerator<SseFrame> {
  let frames: SseFrame[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => void frames.push({ id, data }) });
  for await (const text of body.setEncoding('utf8')) {
    onActivity();
    parser.feed(text as string);
    const ready = frames;
    frames = [];
    yield* ready;
  }
}
