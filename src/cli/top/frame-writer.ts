/**
 * The stream that Ink draws into. Ink says that there is a new picture; the rows of it that changed go out.
 *
 * Ink's own full screen clears the terminal with every frame, which flickers and throws the scrollback away; and it takes
 * each row apart into cells and puts it together again, which would be most of what this program does. So Ink lays out a
 * placeholder for the whole picture and hands over every frame as one text (`debug`). Here the picture's rows are compared
 * with what the terminal shows, and written at their places when they differ: one write a frame, marked as a unit
 * (synchronised output), so that no half frame is seen.
 */

import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

/** Ink hides and shows the cursor through its stream; who has taken the terminal does that. */
const CURSOR: ReadonlySet<string> = new Set(['\x1b[?25h', '\x1b[?25l']);

/** What Ink lays out in place of the picture. */
export const PLACEHOLDER = '#';

export class FrameWriter extends Writable {
  /** Ink asks these of its stream. Wide enough for the placeholder. */
  readonly isTTY = true;
  readonly columns = 8;
  #shown: string[] = [];
  #terminal: Pick<WriteStream, 'write' | 'rows'> | null;

  /** @param picture its rows as they are now, with their colours, each as wide as the terminal. */
  constructor(
    terminal: Pick<WriteStream, 'write' | 'rows'>,
    private readonly picture: () => readonly string[],
  ) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get rows(): number {
    return this.#terminal?.rows ?? 0;
  }

  /** The terminal is somebody else's again: nothing is written from here on. */
  close(): void {
    this.#terminal = null;
  }

  /** The next frame is written whole: the terminal shows something else (resized, or redrawn on demand). */
  forget(): void {
    this.#shown = [];
    this.pass('\x1b[2J');
  }

  /** Draws the picture, as much of it as there are rows. */
  draw(): void {
    const rows = this.picture().slice(0, this.rows);
    let out = '';
    for (let y = 0; y < Math.max(rows.length, this.#shown.length); y++) {
      const row = rows[y] ?? '';
      // Erased before, not after: behind a full row the cursor still stands on its last cell.
      if (row !== this.#shown[y]) out += `\x1b[${y + 1};1H\x1b[K${row}\x1b[0m`;
    }
    this.#shown = rows;
    if (out !== '') this.pass(BEGIN + out + END);
  }

  /** For what is no frame: codes that move nothing. */
  pass(code: string): void {
    this.#terminal?.write(code);
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void): void {
    if (!CURSOR.has(String(chunk))) this.draw();
    done();
  }
}
