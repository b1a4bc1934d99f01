/**
 * Styled text that belongs to no terminal: a line is a list of segments, a segment a text and what it *means*. Pure.
 *
 * Whoever draws says "this is enabled", never "this is green": one drawing serves a log (plain text), a terminal (ANSI)
 * and a full screen, and `NO_COLOR` costs nothing but the colours.
 *
 * Widths are terminal cells, not characters: names of tools and their arguments may be of any script.
 */

import stringWidth from 'string-width';

/** What a text means. `plain` has the terminal's own look. */
export type Style =
  | 'plain'
  /** There, but not now: what is not active, what cannot happen, frames. */
  | 'dim'
  | 'frame'
  | 'strong'
  | 'title'
  /** The active path. */
  | 'active'
  /** What can happen now. */
  | 'enabled'
  /** What happened last. */
  | 'last'
  | 'guard'
  | 'id'
  | 'good'
  /** Wants a person. */
  | 'attention'
  | 'fault'
  /** The row under the cursor. */
  | 'selected'
  | 'key';

export type Segment = { text: string; style: Style };
export type Line = readonly Segment[];

export const segment = (text: string, style: Style = 'plain'): Segment => ({ text, style });

/** Control characters, and those that turn the direction of text: they come from outside and would move the cursor. */
// eslint-disable-next-line no-control-regex -- these are the ones meant
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text without what a terminal would obey. Line ends and tabs become one blank, all else `·`. */
export const harmless = (text: string): string =>
  text.replace(HARMFUL, (character) => (/[\n\r\t]/.test(character) ? ' ' : '·'));

/** Printable ASCII and the drawing characters used here: one cell each, without asking. */
const NARROW = /^[\x20-\x7e─-╿▀-▟■-◿…→←↑↓↻·»⁄×✓✗–—]*$/;

/** Cells a text takes. */
export const cells = (text: string): number => (NARROW.test(text) ? text.length : stringWidth(text));

export const widthOf = (line: Line): number => line.reduce((sum, { text }) => sum + cells(text), 0);

/** The text in at most `width` cells; what is cut off ends in `mark`. */
export function clip(text: string, width: number, mark = '…'): string {
  if (cells(text) <= width) return text;
  if (width <= cells(mark)) return width <= 0 ? '' : mark.slice(0, width);
  if (NARROW.test(text)) return text.slice(0, width - cells(mark)) + mark;
  let kept = '';
  let used = cells(mark);
  for (const character of text) {
    used += cells(character);
    if (used > width) break;
    kept += character;
  }
  return kept + mark;
}

/** The text in exactly `width` cells, filled up at its end. */
export const pad = (text: string, width: number): string => {
  const cut = clip(text, width);
  return cut + ' '.repeat(Math.max(0, width - cells(cut)));
};

/** The same, filled up at its start: for numbers. */
export const padStart = (text: string, width: number): string => {
  const cut = clip(text, width);
  return ' '.repeat(Math.max(0, width - cells(cut))) + cut;
};

/** The line in at most `width` cells. */
export function clipLine(line: Line, width: number, mark = '…'): Line {
  if (widthOf(line) <= width) return line;
  const cut: Segment[] = [];
  let left = width;
  for (const [i, part] of line.entries()) {
    const size = cells(part.text);
    const isLast = i === line.length - 1;
    if (size < left || (size === left && isLast)) {
      cut.push(part);
      left -= size;
      continue;
    }
    // Something follows or does not fit: the mark takes the last cell.
    const room = size > left ? part.text : `${part.text} `;
    cut.push({ text: clip(room, left, mark), style: part.style });
    break;
  }
  return cut;
}

/** The line in exactly `width` cells. */
export function padLine(line: Line, width: number): Line {
  const cut = clipLine(line, width);
  const missing = width - widthOf(cut);
  return missing > 0 ? [...cut, segment(' '.repeat(missing))] : cut;
}
