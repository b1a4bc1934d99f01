/**
 * The screen as Ink has it: when there is something to draw, and the keys. What is drawn is made elsewhere (`draw/`), and
 * goes to the terminal without being taken apart (`frame-writer.ts`).
 */

import type { ReadStream, WriteStream } from 'node:tty';
import { render, Transform, useInput } from 'ink';
import { useSyncExternalStore } from 'react';
import { PLACEHOLDER, type FrameWriter } from './frame-writer.js';
import { keyNames } from './keys.js';

/** A picture that changes: rows with their colours, each as wide as the screen. */
export interface Picture {
  readonly rows: readonly string[];
  subscribe(listener: () => void): () => void;
  onKey(name: string): void;
}

/** Draws the picture whenever it changes, and hands over the keys; the answer ends both. */
export function mount(picture: Picture, writer: FrameWriter, stdin: ReadStream): () => void {
  const ink = render(<App picture={picture} />, {
    // Each frame comes as one text, to be compared with the one before: see `frame-writer.ts`.
    debug: true,
    stdout: writer as unknown as WriteStream,
    stdin,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  return () => ink.unmount();
}

/**
 * Ink measures and keeps every text it has ever seen, and pictures change ten times a second for days: what it sees is the
 * placeholder. That the picture has changed is told by a new `transform`, so Ink draws a frame.
 */
function App({ picture }: { picture: Picture }) {
  useSyncExternalStore(
    (listener) => picture.subscribe(listener),
    () => picture.rows,
  );
  useInput((input, press) => {
    for (const name of keyNames(input, press)) picture.onKey(name);
  });
  return <Transform transform={(text) => text}>{PLACEHOLDER}</Transform>;
}
