/**
 * The terminal as a screen of its own, and back: the alternate buffer, so that the scrollback below is untouched.
 *
 * Whatever way the process ends (`q`, ctrl-c, SIGTERM, SIGHUP, an exception nobody caught, `process.exit`), the terminal
 * is put back exactly once: cursor, buffer, raw mode. Only `kill -9` can prevent it.
 *
 * Lines do not wrap meanwhile: terminals do not agree how wide some letters are, and a row that one of them draws wider than
 * it was meant is cut at the edge instead of pushing the picture down.
 */

import { writeSync } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J\x1b[H';
const LEAVE = '\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l';

/** What the system says a process died of: 128 and the signal's number. */
const signals: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGTERM: 143, SIGHUP: 129, SIGINT: 130 };

/**
 * Takes the screen. The answer gives it back; calling it again does nothing.
 *
 * @param onGiveBack called first: whoever draws must stop then, also on the way out of the process, where Ink draws once more.
 */
export function takeTerminal(
  stdout: WriteStream & { fd?: number },
  stdin: ReadStream,
  onGiveBack: () => void,
): () => void {
  stdout.write(ENTER);
  // From the first moment: what is typed is meant for the program, and is not to be seen.
  stdin.setRawMode(true);
  const giveBack = once((): void => {
    onGiveBack();
    for (const [signal, handler] of handlers) process.off(signal, handler);
    process.off('exit', giveBack).off('uncaughtException', crash).off('unhandledRejection', crash);
    if (stdin.isTTY) stdin.setRawMode(false);
    // Synchronous: this may be the last thing the process does.
    tryWrite(stdout.fd ?? 1, LEAVE);
  });
  const crash = (error: unknown): void => {
    giveBack();
    tryWrite(2, `agent-server top: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };
  const handlers = Object.entries(signals).map(([signal, code]) => {
    const handler = (): void => {
      giveBack();
      process.exit(code);
    };
    return [signal as NodeJS.Signals, handler] as const;
  });
  for (const [signal, handler] of handlers) process.on(signal, handler);
  process.on('exit', giveBack).on('uncaughtException', crash).on('unhandledRejection', crash);
  return giveBack;
}

/** Puts text into the clipboard of the machine the terminal runs on, also over ssh (OSC 52). */
export const copyCode = (text: string): string => `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    work();
  };
}

/** A terminal that is gone takes nothing, and that is no reason to fail on the way out. */
function tryWrite(fd: number, text: string): void {
  try {
    writeSync(fd, text);
  } catch {
    // Nobody is there to read it.
  }
}
