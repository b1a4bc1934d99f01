/**
 * Data on its way to stdout, in the format that was asked for.
 *
 * `json` is one envelope `{"v":1,"kind":…}` per command; `jsonl` one record a line, written as soon as it is known;
 * `name` ids alone, one record a line, its parts parted by a tab; `table` and `wide` are for people and may change.
 * Nothing that came from outside can move the cursor of a terminal: texts for people lose their control characters.
 */

import type { Io } from '../session/io.js';
import { toAnsi, toPlain } from '../rail/render.js';
import { clipLine, type Line } from '../rail/segments.js';

export const formats = ['table', 'wide', 'json', 'jsonl', 'name'] as const;
export type Format = (typeof formats)[number];

export type OutputOptions = {
  output?: Format;
  color?: 'auto' | 'always' | 'never';
  ascii?: boolean;
};

export class Printer {
  readonly format: Format;
  readonly color: boolean;
  readonly ascii: boolean;
  /** The cursor can be moved: what was drawn can be drawn over. */
  readonly canRedraw: boolean;

  constructor(
    private readonly io: Io,
    options: OutputOptions,
  ) {
    const dumb = io.env.TERM === 'dumb';
    this.format = options.output ?? 'table';
    this.color = isColored(options.color ?? 'auto', io, dumb);
    this.ascii = options.ascii === true || dumb;
    this.canRedraw = io.stdout.isTTY && !dumb;
  }

  /** Reads well for a person. */
  get isForPeople(): boolean {
    return this.format === 'table' || this.format === 'wide';
  }

  /** Cells of a line that may be used; undefined: as many as it takes. */
  get width(): number | undefined {
    return this.format === 'wide' ? undefined : this.io.stdout.columns;
  }

  /** The screen, when it is a terminal that knows its size. */
  get columns(): number | undefined {
    return this.io.stdout.columns;
  }

  get rows(): number | undefined {
    return this.io.stdout.rows;
  }

  /** As it is. */
  text(text: string): Promise<void> {
    return this.io.stdout.write(text);
  }

  lines(lines: readonly Line[]): Promise<void> {
    return lines.length === 0 ? Promise.resolve() : this.text(lines.map((line) => `${this.render(line)}\n`).join(''));
  }

  render(line: Line, width = this.width): string {
    const fit = width === undefined ? line : clipLine(line, width, this.ascii ? '~' : '…');
    return this.color ? toAnsi(fit) : toPlain(fit);
  }

  /** One value, for programs; on one line for `jsonl`. */
  json(value: unknown): Promise<void> {
    return this.text(`${JSON.stringify(value, null, this.format === 'jsonl' ? 0 : 2)}\n`);
  }
}

function isColored(when: NonNullable<OutputOptions['color']>, { env, stdout }: Io, dumb: boolean): boolean {
  if (when !== 'auto') return when === 'always';
  return stdout.isTTY && !dumb && !env.NO_COLOR;
}
