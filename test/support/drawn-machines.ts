/** Machines to draw in tests: XState machines as the JSON that the server tells, and three that no one here has written for it. */

import { setup, type AnyStateMachine, type AnyStateNode } from 'xstate';
import type { StateDefinition, TransitionDefinition } from '../../src/cli/rail/definition.js';

export function definitionOf(machine: AnyStateMachine): StateDefinition {
  return stateOf(machine.root);
}

type Known = { eventType: string; target?: readonly AnyStateNode[]; guard?: unknown };

function stateOf(node: AnyStateNode): StateDefinition {
  const on = [...node.transitions.values()].flat() as Known[];
  return {
    id: node.key,
    type: node.type,
    initial: (node.initial.target as AnyStateNode[] | undefined)?.[0]?.key ?? null,
    states: Object.fromEntries(
      Object.entries(node.states).map(([key, child]) => [key, stateOf(child as AnyStateNode)]),
    ),
    on: on.filter(({ eventType }) => !eventType.startsWith('xstate.after.')).map(transitionOf),
    always: ((node.always ?? []) as Known[]).map((known) => ({ ...transitionOf(known), event: '' })),
    after: (node.after as (Known & { delay: number | string })[]).map((known) => ({
      ...transitionOf(known),
      delay: known.delay,
    })),
    invoke: node.invoke.map(({ id, src }) => ({ id, src: typeof src === 'string' ? src : 'inline' })),
  };
}

const transitionOf = ({ eventType, target, guard }: Known): TransitionDefinition => ({
  event: eventType,
  target: target?.map(({ path }) => path.join('.')) ?? null,
  guards: guard ? [typeof guard === 'string' ? guard : ((guard as { type?: string }).type ?? 'guard')] : [],
});

/** Nested, delayed, with a history state: it comes back to where it was. */
export const player = setup({ guards: { hasNext: () => true } }).createMachine({
  id: 'player',
  initial: 'off',
  on: { UNPLUG: '.off' },
  states: {
    off: { on: { POWER: 'on.was' } },
    on: {
      initial: 'stopped',
      after: { 3_600_000: 'off' },
      on: { POWER: 'off' },
      states: {
        was: { type: 'history', history: 'deep' },
        stopped: { on: { PLAY: 'playing' } },
        playing: {
          initial: 'track',
          on: { STOP: 'stopped', PAUSE: 'paused' },
          states: {
            track: { on: { NEXT: [{ guard: 'hasNext', target: 'track', reenter: true }, { target: 'over' }] } },
            over: { after: { 500: '#player.on.stopped' } },
          },
        },
        paused: { on: { PLAY: 'playing', VOLUME: {} } },
      },
    },
  },
});

/** Two regions at once, and what happens when both are over. */
export const order = setup({}).createMachine({
  id: 'order',
  initial: 'open',
  states: {
    open: {
      type: 'parallel',
      onDone: 'closed',
      on: { CANCEL: 'cancelled' },
      states: {
        payment: {
          initial: 'due',
          states: {
            due: { on: { PAY: 'paid', REFUSE: 'refused' } },
            refused: { on: { PAY: 'paid' } },
            paid: { type: 'final' },
          },
        },
        parcel: {
          initial: 'packing',
          states: { packing: { on: { SEND: 'sent' } }, sent: { on: { ARRIVE: 'here' } }, here: { type: 'final' } },
        },
      },
    },
    closed: { type: 'final' },
    cancelled: { type: 'final' },
  },
});

/** Eventless transitions, several guards in turn, a wildcard, names that need care. */
export const door = setup({ guards: { isLocked: () => false, is_open: () => true } }).createMachine({
  id: 'door',
  initial: 'deciding',
  states: {
    deciding: {
      always: [{ guard: 'isLocked', target: 'locked' }, { guard: 'is_open', target: 'ajar-50%' }, { target: 'shut' }],
    },
    locked: { on: { 'key.turn': 'shut', '*': 'alarm "on"' } },
    shut: { on: { OPEN: 'ajar-50%', LOCK: 'locked', KNOCK: { actions: [] } } },
    'ajar-50%': { on: { CLOSE: 'shut' } },
    'alarm "on"': {},
  },
});
