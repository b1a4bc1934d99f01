/**
 * The tool on a terminal: takes the screen, draws until somebody quits, gives the screen back.
 *
 * The first pictures are drawn while Ink is still being loaded, which takes longer than all the rest: a person sees the
 * server at once, and the keys pressed meanwhile wait in the terminal.
 */

import type { ReadStream, WriteStream } from 'node:tty';
import { ExitCode, type Client } from '../client/index.js';
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
  /** Ends it with its reason: `--timeout`. */
  signal?: AbortSignal | undefined;
};

export async function show({ setup, client, palette, stdin, stdout, signal }: Stage): Promise<ExitCode> {
  const size = (): { columns: number; rows: number } => ({ columns: stdout.columns, rows: stdout.rows });
  const { promise: quit, resolve, reject } = settleable<ExitCode>();
  const hooks = {
    onQuit: (by: 'key' | 'ctrl-c') => resolve(by === 'key' ? ExitCode.ok : ExitCode.interrupted),
    onFatal: reject,
    onRedraw: () => writer.forget(),
    onCopy: (text: string) => writer.pass(copyCode(text)),
  };
  const top = new Top(setup, size(), client, hooks, palette);
  const writer: FrameWriter = new FrameWriter(stdout, () => top.rows);
  const giveBack = takeTerminal(stdout, stdin, () => writer.close());
  const resized = (): void => {
    writer.forget();
    top.resize(size());
  };
  stdout.on('resize', resized);
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  const leaveToInk = top.subscribe(() => writer.draw());
  let unmount = (): void => {};
  try {
    top.start();
    const { mount } = await import('./app.js');
    leaveToInk();
    unmount = mount(top, writer, stdin);
    return await quit;
  } finally {
    stdout.off('resize', resized);
    top.stop();
    unmount();
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
  // A refusal may come before anybody waits.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
