/** The same picture in ASCII, cell by cell, for terminals that know nothing else (`--ascii`). Pure. */

import type { Line } from '../../rail/index.js';

const table = new Map<string, string>();
const put = (characters: string, replacements: string): void => {
  for (const [i, character] of [...characters].entries()) table.set(character, replacements[i] ?? replacements.at(-1)!);
};
put('┌┐└┘├┤┏┓┗┛', '+');
put('─━', '-');
put('│┃', '|');
put('●○◎◉◷▶▸»', '*o#@H>>>');
put('→←↑↓↻', '><^v@');
put('·…✓✗∥–', '.~vx"-');
put('▁▂▃▄▅▆▇█', '_.-=+*%#');
put('▏▎▍▌▋▊▉', '.');

const NOT_ASCII = /[^\x20-\x7e]/gu;

/** Characters of the picture by their likes; letters that ASCII has not by `?`. */
export const toAscii = (line: Line): Line =>
  line.map(({ text, style }) => ({ text: text.replace(NOT_ASCII, (character) => table.get(character) ?? '?'), style }));
