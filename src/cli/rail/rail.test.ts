/** The rail as a reader sees it. The drawings in `golden/` are the expectation: read them when they change. */

import { describe, expect, it } from 'vitest';
import { mailboxEntryDefinition } from '../../actors/machines/mailbox-entry.js';
import { runMachine, threadMachine, toolCallMachine } from '../../actors/machines/index.js';
import { createMachine } from 'xstate';
import { definitionOf } from '../../actors/machines/definition.js';
import { door, order, player } from '../../../test/support/drawn-machines.js';
import {
  clip,
  cells,
  drawMachine,
  drawRail,
  padLine,
  toAnsi,
  toMermaid,
  toPlain,
  widthOf,
  type Machine,
} from './index.js';

const NOW = 1_000_000_000;
const ago = (ms: number): number => NOW - ms;

const drawn: Record<string, Machine> = {
  run: {
    definition: definitionOf(runMachine),
    value: { running: 'inferring' },
    since: ago(4_200),
    enabled_events: [{ event: 'xstate.done.actor.model' }, { event: 'CANCEL' }],
    deadlines: [
      { id: 'timeout', due: NOW + 290_000 },
      { id: 'model', due: NOW + 12_000 },
    ],
    transitions: [
      { at: ago(9_000), event: 'START', from: [], to: ['running', 'inferring'] },
      { at: ago(8_000), event: 'xstate.done.actor.model', from: ['running', 'inferring'], to: ['running', 'acting'] },
      { at: ago(7_000), event: 'SUSPENDED', from: ['running', 'acting'], to: ['waiting'] },
      { at: ago(6_000), event: 'DECIDE', from: ['waiting'], to: ['running', 'acting'] },
      { at: ago(5_000), event: 'SETTLED', from: ['running', 'acting'], to: ['running', 'inferring'] },
      { at: ago(4_200), event: 'fx.lost', from: ['running', 'inferring'], to: ['running', 'inferring'] },
    ],
  },
  'run-waiting': {
    definition: definitionOf(runMachine),
    value: 'waiting',
    since: ago(252_000),
    enabled_events: [{ event: 'DECIDE' }, { event: 'CANCEL' }],
    transitions: [
      { at: ago(252_000), event: 'xstate.done.actor.model', from: ['running', 'inferring'], to: ['waiting'] },
    ],
  },
  'run-definition': { definition: definitionOf(runMachine) },
  thread: { definition: definitionOf(threadMachine), value: 'running', since: ago(90_000_000) },
  'tool-call': {
    definition: definitionOf(toolCallMachine),
    value: { suspended: 'asking' },
    since: ago(3_600_000),
    deadlines: [{ id: 'expiry', due: NOW + 7_200_000 }],
  },
  'mailbox-entry': {
    definition: definitionOf(createMachine(mailboxEntryDefinition as never)),
    value: 'dead_letter',
    since: ago(0),
  },
  player: {
    definition: definitionOf(player),
    value: { on: { playing: 'track' } },
    since: ago(1_000),
    transitions: [{ at: ago(1_000), event: 'NEXT', from: ['on', 'playing', 'track'], to: ['on', 'playing', 'track'] }],
  },
  order: { definition: definitionOf(order), value: { open: { payment: 'due', parcel: 'here' } }, since: ago(61_000) },
  door: {
    definition: definitionOf(door),
    value: 'shut',
    since: ago(1_000),
    transitions: [{ at: ago(1_000), event: 'LOCK', from: ['shut'], to: ['locked'] }],
  },
};

const text = (machine: Machine, more: object = {}): string =>
  `${drawMachine(machine, { now: NOW, ...more })
    .map(toPlain)
    .join('\n')}\n`;

describe.each(Object.entries(drawn))('the drawing of %s', (name, machine) => {
  it('as text', () => expect(text(machine)).toMatchFileSnapshot(`golden/${name}.txt`));
  it('in ASCII', () => expect(text(machine, { ascii: true })).toMatchFileSnapshot(`golden/${name}.ascii.txt`));
  it('in 78 columns', () =>
    expect(text(machine, { width: 78, wrap: true })).toMatchFileSnapshot(`golden/${name}.78.txt`));
  it('as Mermaid', () =>
    expect(toMermaid(machine.definition, machine.value)).toMatchFileSnapshot(`golden/${name}.mmd`));

  it('is ASCII when it says so', () => expect(text(machine, { ascii: true })).toMatch(/^[\x20-\x7e\n]*$/));

  it.each([20, 40, 78, 120])('takes no more than %i columns', (width) => {
    for (const wrap of [true, false])
      for (const line of drawMachine(machine, { now: NOW, width, wrap }))
        expect(widthOf(line)).toBeLessThanOrEqual(width);
  });
});

it('never moves a row while the machine moves', () => {
  const { definition } = drawn['run']!;
  const shapeOf = (machine: Machine): string[] =>
    drawRail(machine, { now: NOW, width: 100, wrap: true }).map((line) =>
      toPlain(line)
        .replace(/[●○◉◎»]/g, '?')
        .replace(/← \w+/, (since) => ' '.repeat(since.length))
        .replace(/\s+/g, ' ')
        .trimEnd(),
    );
  const values = [
    { running: 'inferring' },
    { running: 'backing_off' },
    { running: 'acting' },
    'waiting',
    'cancelling',
    'done',
  ];
  const shapes = values.map((value) => shapeOf({ definition, value, since: ago(5_000) }));
  for (const shape of shapes) expect(shape).toEqual(shapes[0]);
});

describe('the light', () => {
  const { definition } = drawn['run']!;
  const lit = (machine: Machine): string => drawRail(machine, { now: NOW }).map(toAnsi).join('\n');

  it('is on the active path alone', () => {
    const styles = drawRail({ definition, value: { running: 'acting' } }, { now: NOW }).map((line) => line[2]!);
    expect(styles.filter(({ style }) => style === 'active').map((part) => part.text)).toEqual([
      'run',
      'running',
      'acting',
    ]);
  });

  it('is brighter on what the machine would take than on what it only knows', () => {
    const all = lit({ definition, value: 'waiting' });
    const some = lit({ definition, value: 'waiting', enabled_events: [{ event: 'CANCEL' }] });
    expect(all).toContain('\x1b[36mAWAKE\x1b[0m');
    expect(some).toContain('\x1b[2mAWAKE\x1b[0m');
    expect(some).toContain('\x1b[36mCANCEL\x1b[0m');
  });

  it('marks the transition that was taken last, with the branch that was taken', () => {
    const taken = { at: NOW, event: 'xstate.done.actor.model', from: ['running', 'inferring'] };
    const rowOf = (to: string[]): string =>
      lit({ definition, value: 'waiting', transitions: [{ ...taken, to }] })
        .split('\n')
        .find((row) => row.includes('inferring'))!;
    expect(rowOf(['running', 'acting'])).toContain('\x1b[1;33m → acting\x1b[0m');
    expect(rowOf(['done'])).toContain('\x1b[1;33m → done\x1b[0m');
  });
});

describe('text from outside', () => {
  it('cannot command the terminal', () => {
    const definition = definitionOf(
      createMachine({ id: 'x\x1b[2J', type: 'parallel', states: { 'a\nb': {}, 'c\u202ed': {} } }),
    );
    const drawing = drawRail({ definition }, { now: NOW });
    expect(drawing.map(toPlain).join('|')).toBe('○ x·[2J ∥|├─ ○ a b|└─ ○ c·d');
    const ansi = drawing.map(toAnsi).join('');
    for (const harm of ['\x1b[2J', '\n', '\u202e']) expect(ansi).not.toContain(harm);
  });

  it('is measured in cells', () => {
    expect([cells('abc'), cells('東京'), cells('●→…'), cells('👩‍👩‍👧')]).toEqual([3, 4, 3, 2]);
    expect([clip('東京都', 5), clip('abcdef', 4), clip('abc', 3), clip('abc', 0)]).toEqual([
      '東京…',
      'abc…',
      'abc',
      '',
    ]);
    expect(widthOf(padLine([{ text: '東京都', style: 'plain' }], 4))).toBe(4);
  });
});
