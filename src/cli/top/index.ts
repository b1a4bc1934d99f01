/**
 * `agent-server top`: the full screen. Needs a terminal at both ends; without one nothing is drawn and nothing is asked.
 *
 * Ink and React are loaded here, when the screen is wanted, and by no other command.
 */

import type { ReadStream, WriteStream } from 'node:tty';
import { Client, usage, type ExitCode, type Target } from '../client/index.js';

export type TopOptions = {
  target: Target;
  /** Look, change nothing: the keys that would are not there. */
  readonly?: boolean;
  ascii?: boolean;
  /** `NO_COLOR`: weight and reversal remain. */
  color?: boolean;
  /** The arguments that named the server, for the commands that `o` shows. */
  where?: readonly string[];
  stdin?: ReadStream;
  stdout?: WriteStream;
  /** Ends it with its reason. */
  signal?: AbortSignal;
};

/** Resolves when the person quits; the terminal is then as it was. Throws `CliError` when the server refuses for good. */
export async function runTop(options: TopOptions): Promise<ExitCode> {
  const { target, stdin = process.stdin, stdout = process.stdout } = options;
  if (!stdin.isTTY || !stdout.isTTY) {
    throw usage('top needs a terminal', 'agent-server runs list --watch -o jsonl');
  }
  const { show } = await import('./show.js');
  return show({
    setup: {
      url: target.url,
      access: options.readonly ? 'look' : 'operate',
      glyphs: options.ascii ? 'ascii' : 'unicode',
      where: options.where ?? [],
    },
    client: new Client(target),
    palette: options.color === false ? 'mono' : 'color',
    stdin,
    stdout,
    signal: options.signal,
  });
}
