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

/**
 * What a terminal would obey or not show: control characters, those that turn the direction of text, those that cannot be
 * seen (two ids that differ must look different) and halves of characters. They come from outside.
 */
// prettier-ignore
const HARMFUL = new RegExp(
  '[\\p{Cc}\\p{Cs}\\u2028\\u2029' + // controls, lone surrogates, line ends
  '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069' + // direction
  '\\u00ad\\u115f\\u1160\\u180e\\u200b\\u2060-\\u2065\\u206a-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb]', // invisible
  'gu',
);

/** The text without what is harmful in it, each of which becomes one cell: line ends and tabs a blank, all else `·`. */
export const harmless = (text: string): string =>
  text.replace(HARMFUL, (character) => (/[\n\r\t]/.test(character) ? ' ' : '·'));

/** The same for a text of several lines, which it keeps. */
export const harmlessLines = (text: string): string => text.split('\n').map(harmless).join('\n');

/** Printable ASCII and the drawing characters used here: one cell each, without asking. */
const NARROW = /^[\x20-\x7e─-╿▀-▟■-◿…→←↑↓↻·»⁄×✓✗–—]*$/;
/**
 * Characters of which each has one cell, or two, whatever stands beside it. Asking costs some 10 µs a character, and there
 * are answers of 100,000 of them.
 */
const SURE = /[\x20-\x7eÀ-ʯΑ-ωА-я]+|[ぁ-ゖァ-ヺ一-鿿가-힣！-～、。「」]+/g;
const isWide = (sure: string): boolean => sure.charCodeAt(0) > 0x3000;
/** Make another character of the one before them. */
const MAKES_EMOJI = /[\ufe0f\u20e3]/;

const letters = new Intl.Segmenter();

/** Cells a text takes as it is drawn (`harmless`). */
export function cells(text: string): number {
  if (NARROW.test(text)) return text.length;
  const drawn = harmless(text);
  if (MAKES_EMOJI.test(drawn)) return stringWidth(drawn);
  let sure = 0;
  const rest = drawn.replace(SURE, (run) => {
    sure += isWide(run) ? 2 * run.length : run.length;
    return '\n'; // Has no cells, and keeps apart what is beside it.
  });
  return sure + stringWidth(rest);
}

export const widthOf = (line: Line): number => line.reduce((sum, { text }) => sum + cells(text), 0);

/** A letter may have marks above and below; what has more of them to a cell is no text. */
const MOST_PER_CELL = 32;

/** As much of the start of a text as `width` cells take, whole letters. However long the text is, no more is looked at. */
export function startOf(text: string, width: number): string {
  const piece = text.slice(0, Math.max(0, width) + 1);
  if (NARROW.test(piece)) return piece.slice(0, Math.max(0, width));
  let end = 0;
  let left = width;
  if (piece.replace(SURE, '') === '') {
    while (end < piece.length && (left -= isWide(piece[end]!) ? 2 : 1) >= 0) end++;
    return piece.slice(0, end);
  }
  for (const { segment: letter, index } of letters.segment(harmless(text.slice(0, MOST_PER_CELL * (width + 1))))) {
    left -= cells(letter);
    if (left < 0) break;
    end = index + letter.length;
  }
  return text.slice(0, end);
}

/** The text in at most `width` cells; what is cut off ends in `mark`. */
export function clip(text: string, width: number, mark = '…'): string {
  if (startOf(text, width).length === text.length) return text;
  if (width <= cells(mark)) return width <= 0 ? '' : mark.slice(0, width);
  return startOf(text, width - cells(mark)) + mark;
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
  const last = line.findLastIndex(({ text }) => text !== '');
  const cut: Segment[] = [];
  let left = width;
  for (const [i, part] of line.entries()) {
    const start = startOf(part.text, left);
    const isWhole = start.length === part.text.length;
    const size = cells(start);
    if (isWhole && (size < left || i >= last)) {
      cut.push(part);
      left -= size;
      continue;
    }
    // Something follows or does not fit: the mark takes the last cell.
    const room = isWhole ? `${part.text} ` : part.text;
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
