/**
 * The world of one invocation: where text comes from and goes to. The process is one, a test makes another.
 *
 * stdout is data, stderr is talk. Writes are awaited, so a slow reader slows the command and memory stays flat.
 */

import type { Readable } from 'node:stream';

/** The reader of the output has gone (`| head`): there is nobody left to work for. Not a fault. */
export class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

export interface Sink {
  /** Resolves when the text was taken; throws `OutputClosed` when nobody takes it any more. */
  write(text: string): Promise<void>;
  readonly isTTY: boolean;
  /** Cells of a line and lines of the screen, when it is a terminal that knows its size. */
  readonly columns: number | undefined;
  readonly rows: number | undefined;
}

export type Io = {
  stdin: Readable & { isTTY?: boolean };
  stdout: Sink;
  stderr: Sink;
  env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds. */
  now(): number;
  /** Hears ctrl-c until the returned function is called. */
  onInterrupt(listener: () => void): () => void;
};
