/** Machines to draw in tests that no one here has written for drawing: nested, parallel, with history, delays, eventless. */

import { setup } from 'xstate';

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
