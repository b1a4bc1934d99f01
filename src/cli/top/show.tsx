/** The tool on a terminal: takes the screen, draws until somebody quits, gives the screen back. */

import type { ReadStream, WriteStream } from 'node:tty';
import { render } from 'ink';
import { ExitCode, type Client } from '../client/index.js';
import { App } from './app.js';
import { FrameWriter } from './frame-writer.js';
import type { Setup } from './model/model.js';
import { copyCode, takeTerminal } from './terminal.js';
import { Top } from './top.js';

export type Stage = {
  setup: Setup;
  client: Client;
  palette: 'color' | 'mono';
  stdin: ReadStream;
  stdout: WriteStream;
};

export async function show({ setup, client, palette, stdin, stdout }: Stage): Promise<ExitCode> {
  const giveBack = takeTerminal(stdout, stdin);
  const size = (): { columns: number; rows: number } => ({ columns: stdout.columns, rows: stdout.rows });
  const { promise, resolve, reject } = settleable<void>();
  const top = new Top(
    setup,
    size(),
    client,
    {
      onQuit: resolve,
      onRedraw: () => writer.forget(),
      onCopy: (text) => writer.pass(copyCode(text)),
      onFatal: reject,
    },
    palette,
  );
  const writer: FrameWriter = new FrameWriter(stdout, (y) => top.rows[y]);
  const resized = (): void => {
    writer.forget();
    top.resize(size());
  };
  stdout.on('resize', resized);
  top.start();
  const ink = render(<App picture={top} />, {
    // Each frame comes as one text, to be compared with the one before: see `frame-writer.ts`.
    debug: true,
    stdout: writer as unknown as WriteStream,
    stdin,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  try {
    await promise;
    return ExitCode.ok;
  } finally {
    stdout.off('resize', resized);
    top.stop();
    ink.unmount();
    giveBack();
  }
}

function settleable<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
