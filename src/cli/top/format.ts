/** Numbers, ids and little pictures as the screens show them. Pure. */

import { cells, clip, startOf } from '../rail/index.js';

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `1,840`. */
export const count = (n: number): string => grouped.format(n);

/** `3 entries`, `1 entry`. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** `212 MB`: never more than four digits. */
export function bytes(n: number | null): string {
  if (n === null) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let left = n;
  while (left >= 1_000 && unit < units.length - 1) {
    left /= 1_000;
    unit++;
  }
  return `${left < 10 && unit > 0 ? left.toFixed(1) : Math.round(left)} ${units[unit]}`;
}

/** `1.3 ms`, `212 ms`, `95 s`. */
export function millis(ms: number | null): string {
  if (ms === null) return '–';
  if (ms >= 10_000) return `${count(ms / 1_000)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/**
 * An id in at most `width` cells. Generated ids begin with the time and are alike there, so the end is kept as well:
 * `01JD…8QKM`.
 */
export function shortId(id: string, width = 9): string {
  if (id.length <= width) return id;
  if (width < 6) return clip(id, width);
  const tail = Math.max(1, Math.ceil((width - 1) / 2));
  return `${id.slice(0, width - 1 - tail)}…${id.slice(-tail)}`;
}

/** JSON in one line, as short as it goes; texts without their quotes. */
export const inline = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `width` cells of which `share` (0 to 1) is full. */
export function bar(share: number, width: number, glyphs: 'unicode' | 'ascii' = 'unicode'): string {
  const full = Math.min(1, Math.max(0, share)) * width;
  if (glyphs === 'ascii') return '#'.repeat(Math.round(full)).padEnd(width, '.');
  return ('█'.repeat(Math.floor(full)) + EIGHTHS[Math.floor((full % 1) * 8)]!).padEnd(width);
}

const LEVELS = { unicode: '▁▂▃▄▅▆▇█', ascii: '_.-=+*%#' };

/** The last `width` values as a row of columns; the highest of them fills its cell. */
export function sparkline(values: readonly number[], width: number, glyphs: 'unicode' | 'ascii' = 'unicode'): string {
  const levels = LEVELS[glyphs];
  const shown = values.slice(-width);
  const most = Math.max(...shown, 0);
  const level = (value: number): string => levels[most === 0 ? 0 : Math.round((value / most) * (levels.length - 1))]!;
  return shown.map(level).join('').padStart(width);
}

/** `14:02:51`, in the terminal's own time zone. */
export function clockTime(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}

/** A text in lines of at most `width` cells: at its own line ends, else at blanks, else anywhere. */
export const wrapText = (text: string, width: number): string[] =>
  text.split('\n').flatMap((paragraph) => wrapped(paragraph, Math.max(1, width)));

/** Every word is measured once: answers may be long, and of scripts that know no blanks. */
function wrapped(paragraph: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  let left = width;
  for (const word of paragraph.split(/(?<=\s)/)) {
    const bare = word.trimEnd();
    const size = cells(bare);
    if (size > left && line !== '') {
      lines.push(line);
      line = '';
      left = width;
    }
    const pieces = size > width ? piecesOf(bare, width) : [bare];
    const end = pieces.pop()! + word.slice(bare.length);
    lines.push(...pieces);
    line += end;
    left -= cells(end);
  }
  return [...lines, line];
}

/** A word that is too long for a line. */
function piecesOf(word: string, width: number): string[] {
  const pieces: string[] = [];
  let rest = word;
  while (rest !== '') {
    // A letter that is wider than the line is drawn as much as it goes.
    const piece = startOf(rest, width) || [...rest][0]!;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}
