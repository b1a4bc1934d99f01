/** This process as the world of a command. */

import type { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { OutputClosed, type Io, type Sink } from './io.js';

/** What writing says when the reader has gone: at first, and from then on. */
const GONE = ['EPIPE', 'ERR_STREAM_DESTROYED'];

export const processIo = (): Io => ({
  stdin: process.stdin,
  stdout: sinkOf(process.stdout),
  stderr: sinkOf(process.stderr),
  env: process.env,
  now: Date.now,
  onInterrupt(listener) {
    process.on('SIGINT', listener);
    return () => void process.off('SIGINT', listener);
  },
});

export function sinkOf(stream: Writable & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>): Sink {
  // Without a listener a reader that has gone would end the process with a stack trace.
  stream.on('error', () => {});
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          if (!error) resolve();
          else reject(GONE.includes((error as NodeJS.ErrnoException).code ?? '') ? new OutputClosed() : error);
        });
      }),
    isTTY: stream.isTTY === true,
    // A terminal that was not told its size says 0.
    get columns() {
      return (stream.isTTY && stream.columns) || undefined;
    },
    get rows() {
      return (stream.isTTY && stream.rows) || undefined;
    },
  };
}
