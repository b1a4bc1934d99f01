/**
 * The stream that Ink draws into. Frames of placeholders come in, rows that changed go out.
 *
 * Ink's own full screen clears the terminal with every frame, which flickers and throws the scrollback away; and it takes
 * each row apart into cells and puts it together again, which at ten frames a second would be most of what this program
 * does. So Ink lays out one short placeholder a row, on a stream that says it is narrow, and hands over every frame as one
 * text (`debug`). Here a placeholder becomes its row again, is compared with what the terminal shows, and is written at
 * its place when it differs: one write a frame, marked as a unit (synchronised output), so that no half frame is seen.
 */

import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

/** Ink hides and shows the cursor through its stream; who has taken the terminal does that. */
const CURSOR: ReadonlySet<string> = new Set(['\x1b[?25h', '\x1b[?25l']);

/** What Ink lays out in place of row `y`. */
export const placeholder = (y: number): string => `#${y}`;

export class FrameWriter extends Writable {
  /** Ink asks these of its stream. Wide enough for a placeholder. */
  readonly isTTY = true;
  readonly columns = 8;
  #shown: string[] = [];
  #terminal: Pick<WriteStream, 'write' | 'rows'> | null;

  /** @param rowAt row `y` of the picture, with its colours, as wide as the terminal. */
  constructor(
    terminal: Pick<WriteStream, 'write' | 'rows'>,
    private readonly rowAt: (y: number) => string | undefined,
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

  /** Draws the picture's first `count` rows, without waiting for Ink. */
  draw(count: number): void {
    this.#draw(Array.from({ length: Math.min(count, this.rows) }, (_, y) => placeholder(y)));
  }

  /** For what is no frame: codes that move nothing. */
  pass(code: string): void {
    this.#terminal?.write(code);
  }

  override _write(chunk: string | Buffer, _: BufferEncoding, done: () => void): void {
    const text = String(chunk);
    if (!CURSOR.has(text)) this.#draw(text.split('\n').slice(0, this.rows));
    done();
  }

  #draw(placeholders: readonly string[]): void {
    const rows = placeholders.map((text) => this.rowAt(Number(text.slice(1))) ?? '');
    let out = '';
    for (let y = 0; y < Math.max(rows.length, this.#shown.length); y++) {
      const row = rows[y] ?? '';
      // Erased before, not after: behind a full row the cursor still stands on its last cell.
      if (row !== this.#shown[y]) out += `\x1b[${y + 1};1H\x1b[K${row}\x1b[0m`;
    }
    this.#shown = rows;
    if (out !== '') this.pass(BEGIN + out + END);
  }
}
