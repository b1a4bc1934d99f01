/** The same picture in ASCII, cell by cell, for terminals that know nothing else (`--ascii`). Pure. */

import { cells, harmless, type Line } from '../../rail/index.js';

const table = new Map<string, string>();
const put = (characters: string, replacements: string): void => {
  for (const [i, character] of [...characters].entries()) table.set(character, replacements[i] ?? replacements.at(-1)!);
};
put('┌┐└┘├┤┏┓┗┛', '+');
put('─━', '-');
put('│┃', '|');
put('●○◎◉◷▶▸»', '*o#@H>>>');
put('→←↑↓↻', '><^v@');
put('·…✓✗×∥–', '.~vxx"-');
put('▁▂▃▄▅▆▇█', '_.-=+*%#');
put('▏▎▍▌▋▊▉', '.');

const NOT_ASCII = /[^\x20-\x7e]+/gu;
const letters = new Intl.Segmenter();

/** Characters of the picture by their likes; letters that ASCII has not by as many `?` as they have cells. */
export const toAscii = (line: Line): Line =>
  line.map(({ text, style }) => ({ text: harmless(text).replace(NOT_ASCII, replaced), style }));

const replaced = (text: string): string =>
  Array.from(letters.segment(text), ({ segment }) => table.get(segment) ?? '?'.repeat(cells(segment))).join('');
