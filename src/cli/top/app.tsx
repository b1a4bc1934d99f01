/**
 * The screen as Ink draws it: one `Text` a row, and the keys. What the rows say is made elsewhere (`draw/`): here is only
 * what changed since the last picture, so React touches the rows that differ and no others.
 */

import type { ReadStream, WriteStream } from 'node:tty';
import { Box, render, Transform, useInput } from 'ink';
import { memo, useSyncExternalStore } from 'react';
import { placeholder, type FrameWriter } from './frame-writer.js';
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

function App({ picture }: { picture: Picture }) {
  const rows = useSyncExternalStore(
    (listener) => picture.subscribe(listener),
    () => picture.rows,
  );
  useInput((input, press) => {
    for (const name of keyNames(input, press)) picture.onKey(name);
  });
  return (
    <Box flexDirection="column">
      {rows.map((row, y) => (
        <Row key={y} y={y} row={row} />
      ))}
    </Box>
  );
}

/**
 * Ink measures and keeps every text it has ever seen, and these change ten times a second for days: what it sees is the
 * placeholder. That a row has changed is told by its new `transform`, so Ink draws a frame.
 */
const Row = memo(function Row({ y }: { y: number; row: string }) {
  return <Transform transform={(text) => text}>{placeholder(y)}</Transform>;
});
