/**
 * The thread machine: at most one active run, always. It owns whose turn it is; the mailbox that waits for turns is a
 * table of records beside it (`mailbox-entry.ts`), because a queued entry has no behaviour.
 *
 *   idle --START--> running <--> waiting --FINISHED--> idle
 *
 * A new run is begun only from `idle`: everything that wants to replace the active run tells it to stop and waits for
 * `FINISHED`.
 */

import { assign, enqueueActions, setup, sendTo, spawnChild, stopChild } from 'xstate';
import type { Emitted } from './emitted.js';
import { runMachine, type RunEvent, type RunInput } from './run.js';

export type ThreadContext = {
  /** Rises by one with each interrupt (CONTRACT 2.5). */
  generation: number;
  /** The active run: its key among the children (the run's ordinal) and its public id. */
  active: { key: string; run_id: string } | null;
};

export type ThreadEvent =
  | { type: 'START'; key: string; run: RunInput }
  | { type: 'INTERRUPT' }
  /** For the active run; ignored when it names another. */
  | { type: 'TELL'; run_id: string; event: RunEvent }
  | { type: 'WAITING'; run_id: string }
  | { type: 'RESUMED'; run_id: string }
  | { type: 'FINISHED'; run_id: string };

const base = setup({
  types: {
    context: {} as ThreadContext,
    events: {} as ThreadEvent,
    emitted: {} as Emitted,
    children: {},
  },
  actors: { run: runMachine },
  guards: {
    isActive: ({ context, event }) => 'run_id' in event && context.active?.run_id === event.run_id,
  },
  actions: {
    nextGeneration: assign({ generation: ({ context }) => context.generation + 1 }),
    activate: assign({
      active: ({ event, context }) =>
        event.type === 'START' ? { key: event.key, run_id: event.run.run_id } : context.active,
    }),
    begin: spawnChild('run', {
      id: ({ event }) => (event.type === 'START' ? event.key : ''),
      input: ({ event }) => (event as Extract<ThreadEvent, { type: 'START' }>).run,
    }),
    stopActive: sendTo(({ context }) => context.active!.key, {
      type: 'CANCEL',
      code: 'cancelled',
      detail: 'interrupted',
    } satisfies RunEvent),
    forward: enqueueActions(({ context, event, enqueue }) => {
      if (event.type === 'TELL') enqueue.sendTo(context.active!.key, event.event);
    }),
    release: enqueueActions(({ context, enqueue }) => {
      enqueue(stopChild(context.active!.key));
      enqueue.assign({ active: null });
    }),
  },
});

export const threadMachine = base.createMachine({
  id: 'thread',
  context: { generation: 0, active: null },
  initial: 'idle',
  states: {
    idle: {
      on: {
        START: { target: 'running', actions: ['activate', 'begin'] },
        INTERRUPT: { actions: 'nextGeneration' },
      },
    },
    running: {
      on: {
        WAITING: { guard: 'isActive', target: 'waiting' },
        FINISHED: { guard: 'isActive', target: 'idle', actions: 'release' },
        TELL: { guard: 'isActive', actions: 'forward' },
        INTERRUPT: { actions: ['nextGeneration', 'stopActive'] },
      },
    },
    waiting: {
      on: {
        RESUMED: { guard: 'isActive', target: 'running' },
        FINISHED: { guard: 'isActive', target: 'idle', actions: 'release' },
        TELL: { guard: 'isActive', actions: 'forward' },
        INTERRUPT: { actions: ['nextGeneration', 'stopActive'] },
      },
    },
  },
});
