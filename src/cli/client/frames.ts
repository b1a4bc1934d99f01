/** The frames of an event stream's body. Comments keep the stream alive and give no frame, but `onActivity` hears them. */

import { createParser } from 'eventsource-parser';

export type SseFrame = { id: string | undefined; data: string };

/**
 * Leaving the loop closes the connection. A body that breaks off throws, and so does the signal, with its reason.
 *
 * The signal ends the body by hand: `fetch` of Node 20 holds its own signal weakly, and once the garbage collector has been
 * there, aborting it does nothing any more.
 */
export async function* readFrames(
  body: ReadableStream<Uint8Array>,
  onActivity: () => void,
  signal: AbortSignal,
): AsyncGenerator<SseFrame> {
  const decoder = new TextDecoder();
  let frames: SseFrame[] = [];
  const parser = createParser({ onEvent: ({ id, data }) => void frames.push({ id, data }) });
  const reader = body.getReader();
  const end = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', end, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      onActivity();
      parser.feed(decoder.decode(value, { stream: true }));
      const ready = frames;
      frames = [];
      yield* ready;
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
