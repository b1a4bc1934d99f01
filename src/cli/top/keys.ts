/**
 * The keys: one table that `?` shows, the footer quotes, the reducer obeys and the tests check. They are public: a key is
 * never given another meaning without notice.
 *
 * `esc` leads back and changes nothing, ever. What changes something on the server asks first, and is not there at all
 * with `--readonly`.
 */

export type KeyAction =
  | 'up'
  | 'down'
  | 'page_up'
  | 'page_down'
  | 'top'
  | 'bottom'
  | 'open'
  | 'back'
  | 'other_pane'
  | 'next_tab'
  | 'previous_tab'
  | `tab_${1 | 2 | 3 | 4 | 5 | 6 | 7}`
  | 'filter'
  | 'goto'
  | 'mark'
  | 'mark_all'
  | 'sort'
  | 'faults'
  | 'wide'
  | 'follow'
  | 'pause'
  | 'approve'
  | 'deny'
  | 'cancel'
  | 'interrupt'
  | 'retry'
  | 'message'
  | 'copy'
  | 'command'
  | 'help'
  | 'redraw'
  | 'quit';

export type KeyGroup = 'Move' | 'Look' | 'Act' | 'Tool';

export type KeyRow = {
  /** Names as `keyName` gives them. */
  names: readonly string[];
  /** As people write them. */
  shown: string;
  action: KeyAction;
  says: string;
  group: KeyGroup;
  /** `server`: it changes something there. */
  changes?: 'server';
};

const tab = (n: 1 | 2 | 3 | 4 | 5 | 6 | 7, says: string): KeyRow => ({
  names: [String(n)],
  shown: String(n),
  action: `tab_${n}`,
  says,
  group: 'Look',
});

export const keyTable: readonly KeyRow[] = [
  { names: ['up', 'k'], shown: '↑ k', action: 'up', says: 'up', group: 'Move' },
  { names: ['down', 'j'], shown: '↓ j', action: 'down', says: 'down', group: 'Move' },
  { names: ['pageup', 'ctrl-b'], shown: 'pgup', action: 'page_up', says: 'a screen up', group: 'Move' },
  { names: ['pagedown', 'ctrl-f'], shown: 'pgdn', action: 'page_down', says: 'a screen down', group: 'Move' },
  { names: ['g', 'home'], shown: 'g', action: 'top', says: 'first row', group: 'Move' },
  { names: ['G', 'end'], shown: 'G', action: 'bottom', says: 'last row', group: 'Move' },
  { names: ['enter'], shown: 'enter', action: 'open', says: 'open', group: 'Move' },
  { names: ['esc'], shown: 'esc', action: 'back', says: 'back; never changes anything', group: 'Move' },
  { names: ['tab'], shown: 'tab', action: 'other_pane', says: 'list or details', group: 'Move' },
  { names: [']', 'right'], shown: ']', action: 'next_tab', says: 'next tab', group: 'Move' },
  { names: ['[', 'left'], shown: '[', action: 'previous_tab', says: 'previous tab', group: 'Move' },
  { names: ['/'], shown: '/', action: 'filter', says: 'filter', group: 'Look' },
  { names: [':'], shown: ':', action: 'goto', says: 'go to a screen, or an event', group: 'Look' },
  { names: ['z'], shown: 'z', action: 'faults', says: 'only what is wrong', group: 'Look' },
  { names: ['s'], shown: 's', action: 'sort', says: 'sort by the next column', group: 'Look' },
  { names: ['w'], shown: 'w', action: 'wide', says: 'wide: whole ids, whole pane', group: 'Look' },
  { names: ['f'], shown: 'f', action: 'follow', says: 'follow what comes', group: 'Look' },
  { names: ['p'], shown: 'p', action: 'pause', says: 'hold the picture', group: 'Look' },
  tab(1, 'machine'),
  tab(2, 'mailbox'),
  tab(3, 'events'),
  tab(4, 'messages'),
  tab(5, 'tools'),
  tab(6, 'tree'),
  tab(7, 'raw'),
  { names: ['space'], shown: 'space', action: 'mark', says: 'mark', group: 'Act' },
  { names: ['*'], shown: '*', action: 'mark_all', says: 'mark all, or none', group: 'Act' },
  { names: ['a'], shown: 'a', action: 'approve', says: 'approve, or answer', group: 'Act', changes: 'server' },
  { names: ['x'], shown: 'x', action: 'deny', says: 'deny', group: 'Act', changes: 'server' },
  { names: ['c'], shown: 'c', action: 'cancel', says: 'cancel the run or the entry', group: 'Act', changes: 'server' },
  { names: ['i'], shown: 'i', action: 'interrupt', says: 'interrupt the thread', group: 'Act', changes: 'server' },
  {
    names: ['r'],
    shown: 'r',
    action: 'retry',
    says: 'retry what is dead or unsure',
    group: 'Act',
    changes: 'server',
  },
  { names: ['m'], shown: 'm', action: 'message', says: 'message to the thread', group: 'Act', changes: 'server' },
  { names: ['y'], shown: 'y', action: 'copy', says: 'copy the id', group: 'Tool' },
  { names: ['o'], shown: 'o', action: 'command', says: 'the same from a shell', group: 'Tool' },
  { names: ['?'], shown: '?', action: 'help', says: 'keys', group: 'Tool' },
  { names: ['ctrl-l'], shown: 'ctrl-l', action: 'redraw', says: 'draw again', group: 'Tool' },
  { names: ['q', 'ctrl-c'], shown: 'q', action: 'quit', says: 'quit', group: 'Tool' },
];

/** The keys there are: none that changes anything when the tool only looks. */
export const keysFor = (access: Access): readonly KeyRow[] =>
  keyTable.filter(({ changes }) => access === 'operate' || changes !== 'server');

/** `look`: `--readonly`. */
export type Access = 'operate' | 'look';

const byName = new Map(keyTable.flatMap((row) => row.names.map((name) => [name, row] as const)));

/** What a key means where it is not text. */
export function actionOf(name: string, access: Access): KeyAction | undefined {
  const row = byName.get(name);
  return row && (access === 'operate' || row.changes !== 'server') ? row.action : undefined;
}

/** The part of Ink's description of a key press that is used. */
export type Press = {
  upArrow?: boolean;
  downArrow?: boolean;
  leftArrow?: boolean;
  rightArrow?: boolean;
  pageUp?: boolean;
  pageDown?: boolean;
  home?: boolean;
  end?: boolean;
  return?: boolean;
  escape?: boolean;
  ctrl?: boolean;
  tab?: boolean;
  backspace?: boolean;
  delete?: boolean;
  meta?: boolean;
};

const special: readonly (readonly [keyof Press, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
];

/** The names of the keys of one input: several when they came at once (typed fast, or pasted). */
export function keyNames(input: string, press: Press): string[] {
  const known = special.find(([flag]) => press[flag]);
  if (known) return [known[1]];
  if (press.ctrl) return [`ctrl-${input}`];
  // `esc` and a key that came at once look like that key with alt, which means nothing here. A longer sequence is a key
  // this does not know: its letters are no text.
  if (press.meta) return [...input].length === 1 ? ['esc', nameOf(input)] : [];
  return [...input].map(nameOf);
}

const named: Readonly<Record<string, string>> = {
  ' ': 'space',
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\x1b': 'esc',
  '\x7f': 'backspace',
  '\b': 'backspace',
};

/** A control character is its letter with ctrl: 1 is `ctrl-a`. */
const nameOf = (character: string): string =>
  named[character] ?? (character < ' ' ? `ctrl-${String.fromCharCode(character.charCodeAt(0) + 96)}` : character);

/** What a key writes where text is typed. */
export const textOf = (name: string): string => (name === 'space' ? ' ' : [...name].length === 1 ? name : '');
