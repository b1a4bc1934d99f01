/** The keys are public: these are all of them, and none means two things. */

import { expect, it } from 'vitest';
import { actionOf, keyNames, keysFor, keyTable, textOf } from './keys.js';

/** OPERATOR "Keys". Changed with notice only. */
const published: Record<string, string> = {
  up: 'up',
  k: 'up',
  down: 'down',
  j: 'down',
  g: 'top',
  G: 'bottom',
  enter: 'open',
  esc: 'back',
  q: 'quit',
  '/': 'filter',
  ':': 'goto',
  '?': 'help',
  '[': 'previous_tab',
  ']': 'next_tab',
  space: 'mark',
  '*': 'mark_all',
  f: 'follow',
  p: 'pause',
  w: 'wide',
  z: 'faults',
  s: 'sort',
  a: 'approve',
  x: 'deny',
  c: 'cancel',
  i: 'interrupt',
  r: 'retry',
  m: 'message',
  y: 'copy',
  o: 'command',
  'ctrl-l': 'redraw',
  '1': 'tab_1',
  '2': 'tab_2',
  '3': 'tab_3',
  '4': 'tab_4',
  '5': 'tab_5',
  '6': 'tab_6',
  '7': 'tab_7',
};

it('has every published key, with its meaning', () => {
  for (const [name, action] of Object.entries(published)) expect(actionOf(name, 'operate'), name).toBe(action);
});

it('gives no key two meanings', () => {
  const names = keyTable.flatMap((row) => row.names);
  expect(new Set(names).size).toBe(names.length);
});

it('has no key that changes anything when it only looks', () => {
  const gone = keyTable.filter((row) => !keysFor('look').includes(row)).map(({ action }) => action);
  expect(gone).toEqual(['approve', 'deny', 'cancel', 'interrupt', 'retry', 'message']);
  for (const name of 'axcirm') expect(actionOf(name, 'look'), name).toBeUndefined();
});

it('says each in so few words that the help shows them whole', () => {
  for (const { says, shown } of keyTable) {
    expect(says.length, says).toBeLessThanOrEqual(28);
    expect(shown.length, shown).toBeLessThanOrEqual(6);
  }
});

it.each([
  ['j', {}, ['j']],
  ['', { upArrow: true }, ['up']],
  ['', { escape: true, meta: true }, ['esc']],
  ['l', { ctrl: true }, ['ctrl-l']],
  ['/\x15a b\r', {}, ['/', 'ctrl-u', 'a', 'space', 'b', 'enter']],
  ['[15~', { meta: true }, []],
  [':', { meta: true }, ['esc', ':']],
  ['', { delete: true }, ['backspace']],
  ['é東', {}, ['é', '東']],
] as const)('reads %j', (input, press, names) => expect(keyNames(input, press)).toEqual(names));

it('writes characters and no names', () => {
  expect(['a', 'space', 'é', 'enter', 'ctrl-u', 'up'].map(textOf)).toEqual(['a', ' ', 'é', '', '', '']);
});
