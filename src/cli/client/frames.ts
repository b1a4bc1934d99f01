/** The frames of an event stream's body. Comments keep the stream alive and give no frame, but `onActivity` hears them. */

import { createParser } from 'eventsource-parser';

export type SseFrame = { id: string | undefined; data: string };

/** Leaving the loop closes the connection. A body that breaks off throws. */
export async function* readFrames(body: ReadableStream<Uint8Array>, onActivity: () => void): AsyncGenerator<SseFrame> {
  const decoder = new TextDecoder();
  let frames: SseFrame[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => void frames.push({ id, data }) });
  for await (const bytes of body) {
    onActivity();
    parser.feed(decoder.decode(bytes, { stream: true }));
    const ready = frames;
    frames = [];
    yield* ready;
  }
}
