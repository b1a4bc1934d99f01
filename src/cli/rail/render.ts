/**
 * Lines as text: plain for logs and pipes, with ANSI looks for terminals. Nothing a text contains reaches the terminal as
 * a command.
 */

import { harmless, type Line, type Style } from './segments.js';

/** Select graphic rendition, by meaning. The sixteen colours of the terminal's own theme, so light ones work too. */
const sgr: Record<Style, string> = {
  plain: '',
  dim: '2',
  frame: '2',
  strong: '1',
  title: '1;36',
  active: '1;32',
  enabled: '36',
  last: '1;33',
  guard: '2;3',
  id: '35',
  good: '32',
  attention: '1;33',
  fault: '1;31',
  selected: '7',
  key: '1;36',
};

/** `NO_COLOR` takes the colours and leaves weight and reversal: the cursor must be seen. */
const mono = Object.fromEntries(
  Object.entries(sgr).map(([style, codes]) => [style, codes.replace(/;?3\d/g, '').replace(/^;/, '')]),
) as Record<Style, string>;

export const toPlain = (line: Line): string =>
  line
    .map(({ text }) => harmless(text))
    .join('')
    .trimEnd();

export const toAnsi = (line: Line): string => colored(line, sgr);

/** Without colours. */
export const toMono = (line: Line): string => colored(line, mono);

function colored(line: Line, codes: Readonly<Record<Style, string>>): string {
  let out = '';
  for (const { text, style } of line)
    out += codes[style] === '' ? harmless(text) : `\x1b[${codes[style]}m${harmless(text)}\x1b[0m`;
  return out;
}
