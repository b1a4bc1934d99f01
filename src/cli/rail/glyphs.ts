/** The characters of a drawing: one set for terminals that know Unicode, one for those that know ASCII alone. Pure. */

export type Glyphs = {
  active: string;
  inactive: string;
  final: string;
  activeFinal: string;
  history: string;
  /** Before a child that has one below it; before the last one; the same for the child a parent begins in. */
  fork: string;
  corner: string;
  initialFork: string;
  initialCorner: string;
  bar: string;
  blank: string;
  arrow: string;
  here: string;
  last: string;
  stays: string;
  or: string;
  done: string;
  failed: string;
  parallel: string;
  ellipsis: string;
};

export const unicode: Glyphs = {
  active: '●',
  inactive: '○',
  final: '◎',
  activeFinal: '◉',
  history: '◷',
  fork: '├─ ',
  corner: '└─ ',
  initialFork: '├▸ ',
  initialCorner: '└▸ ',
  bar: '│  ',
  blank: '   ',
  arrow: '→',
  here: '←',
  last: '»',
  stays: '↻',
  or: '·',
  done: '✓',
  failed: '✗',
  parallel: '∥',
  ellipsis: '…',
};

export const ascii: Glyphs = {
  active: '*',
  inactive: 'o',
  final: '#',
  activeFinal: '@',
  history: 'H',
  fork: '|- ',
  corner: '`- ',
  initialFork: '|> ',
  initialCorner: '`> ',
  bar: '|  ',
  blank: '   ',
  arrow: '->',
  here: '<-',
  last: '>',
  stays: '@',
  or: '|',
  done: 'ok',
  failed: 'failed',
  parallel: '||',
  ellipsis: '~',
};
