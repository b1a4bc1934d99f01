/** Lines as text: plain for logs and pipes, with ANSI colours for terminals. Nothing a text contains reaches the terminal as a command. */

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

export const toPlain = (line: Line): string =>
  line
    .map(({ text }) => harmless(text))
    .join('')
    .trimEnd();

export const toAnsi = (line: Line): string =>
  line
    .map(({ text, style }) => (sgr[style] === '' ? harmless(text) : `\x1b[${sgr[style]}m${harmless(text)}\x1b[0m`))
    .join('');
