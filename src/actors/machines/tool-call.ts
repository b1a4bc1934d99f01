/**
 * The tool-call machine: one call of one step, from the model's wish to its result (CONTRACT 5.1).
 *
 *   new --> running --> succeeded | failed
 *    |         |  \---> in_doubt        crash or timeout of a `once` tool: a person decides
 *    |         \------> running.stopping --> cancelled | succeeded | failed
 *    \--> suspended --> resuming --> running
 *              \------> succeeded (the client's result) | failed (denied)
 *
 * Guarantees: a `once` call enters `running` at most once unless a person says `retry`; every call ends in exactly one
 * `tool_call_done` and one tool message, so the history stays valid for the model.
 *
 * `GO` comes from the run, which knows the execution mode (sequential, batch approval, parallel).
 */

import { assign, emit, setup } from 'xstate';
import type { ToolOutcome } from '../../agents/types.js';
import type { JsonValue } from '../../json.js';
import type { Suspension, SuspensionKind } from '../events.js';
import type { Decision } from '../records.js';
import type { Emitted } from './emitted.js';
import { logics, type CallPlan } from './logics.js';

export type ToolCallContext = { plan: CallPlan; suspension: Suspension | null };

export type ToolCallEvent =
  | { type: 'GO' }
  | { type: 'DECIDE'; decision: Decision }
  /** Stop: cooperatively when it runs, at once when it does not. */
  | { type: 'CANCEL' }
  /** The cancel deadline has passed: close, whatever the tool does. */
  | { type: 'KILL' }
  /** The process that executed the call is gone. */
  | { type: 'fx.lost' }
  | { type: 'xstate.done.actor.exec'; output: ToolOutcome }
  | { type: 'xstate.error.actor.exec'; error: { message: string } }
  | { type: 'xstate.done.actor.timeout'; output: unknown };

type End = { outcome: 'succeeded'; result: JsonValue } | { outcome: 'failed' | 'denied' | 'cancelled'; error: string };

export const NEVER_RAN = 'cancelled before it ran';
export const MAY_HAVE_RUN = 'was running when it was stopped; it may have taken effect';
export const DENIED = 'denied by the user';

const object = (value: JsonValue): { [key: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

const newSuspension = (plan: CallPlan, kind: SuspensionKind, message: string): Suspension => ({
  id: `fc_${plan.id}`,
  tool_call_id: plan.id,
  name: plan.name,
  kind,
  message,
});

const closed = ({ plan }: ToolCallContext, end: End): Emitted => ({
  type: 'tool_call_done',
  id: plan.id,
  name: plan.name,
  ...end,
});

const outcome = (event: ToolCallEvent) => (event.type === 'xstate.done.actor.exec' ? event.output : undefined);
const decision = (event: ToolCallEvent) => (event.type === 'DECIDE' ? event.decision : undefined);

const types = setup({
  types: {
    context: {} as ToolCallContext,
    input: {} as { plan: CallPlan },
    events: {} as ToolCallEvent,
    emitted: {} as Emitted,
  },
  actors: { execute: logics.execute, timer: logics.timer, abort: logics.abort },
  guards: {
    asks: ({ context }) => context.plan.gate === 'approval',
    isFrontend: ({ context }) => context.plan.gate === 'frontend',
    isRefused: ({ context }) => context.plan.gate === 'refused',
    mayRepeat: ({ context }) => context.plan.effect !== 'once',
    succeeded: ({ event }) => outcome(event)?.outcome === 'succeeded',
    aborted: ({ event }) => outcome(event)?.outcome === 'aborted',
    isApproval: ({ context }) => context.suspension?.kind === 'approval',
    /** `cancel`, or a `resume` that says `approved: false`. */
    denies: ({ context, event }) =>
      decision(event)?.action === 'cancel' ||
      (context.suspension?.kind === 'approval' && object(decision(event)?.result ?? null)['approved'] === false),
    retries: ({ event }) => object(decision(event)?.result ?? null)['retry'] === true,
  },
  actions: {
    /** Executed by the host; stock actors map it to `sendParent`. */
    toParent: (_, _event: { type: string; key: string; suspension?: Suspension | null }) => {},
    askApproval: assign({
      suspension: ({ context: { plan } }) =>
        newSuspension(plan, 'approval', plan.gate === 'approval' ? plan.message : plan.name),
    }),
    askFrontend: assign({
      suspension: ({ context: { plan } }) =>
        newSuspension(plan, 'frontend', plan.gate === 'frontend' ? plan.message : plan.name),
    }),
    askInDoubt: assign({
      suspension: ({ context: { plan } }) =>
        newSuspension(plan, 'in_doubt', `${plan.name} was started and its outcome is unknown: did it happen?`),
    }),
    tellSuspended: emit(({ context: { plan, suspension } }): Emitted => {
      const { id, kind, message } = suspension!;
      return {
        type: 'tool_call_suspended',
        id: plan.id,
        name: plan.name,
        arguments: plan.arguments,
        suspension: { id, kind, message },
      };
    }),
    tellResumed: emit(({ context, event }): Emitted => {
      const d = decision(event)!;
      return {
        type: 'tool_call_resumed',
        target_id: context.plan.id,
        decision_id: d.decision_id,
        action: d.action,
        result: d.result,
        ...(d.reason === undefined ? {} : { reason: d.reason }),
      };
    }),
    closeWithOutcome: emit(({ context, event }): Emitted => {
      const o = outcome(event);
      if (o?.outcome === 'succeeded') return closed(context, { outcome: 'succeeded', result: o.result });
      if (o?.outcome === 'failed') return closed(context, { outcome: 'failed', error: o.error });
      const error = event.type === 'xstate.error.actor.exec' ? event.error.message : 'the tool was aborted';
      return closed(context, { outcome: 'failed', error });
    }),
    closeWithDecision: emit(({ context, event }) =>
      closed(context, { outcome: 'succeeded', result: decision(event)!.result }),
    ),
    closeDenied: emit(({ context, event }) => {
      const error = decision(event)?.reason ?? DENIED;
      return closed(context, { outcome: 'denied', error });
    }),
    /** A person says that a call in doubt did not happen. */
    closeDidNotHappen: emit(({ context, event }) =>
      closed(context, { outcome: 'failed', error: decision(event)?.reason ?? 'it did not take effect' }),
    ),
    closeRefused: emit(({ context }) => {
      const { plan } = context;
      return closed(
        context,
        plan.gate === 'refused'
          ? { outcome: plan.outcome, error: plan.error }
          : { outcome: 'failed', error: 'refused' },
      );
    }),
    closeTimedOut: emit(({ context }) =>
      closed(context, { outcome: 'failed', error: `timed out after ${context.plan.timeout_ms} ms` }),
    ),
    closeNeverRan: emit(({ context }) => closed(context, { outcome: 'cancelled', error: NEVER_RAN })),
    /** What the model is told depends on what a repetition would do (CONTRACT 1.13). */
    closeStopped: emit(({ context }) =>
      closed(context, {
        outcome: 'cancelled',
        error: context.plan.effect === 'once' ? MAY_HAVE_RUN : 'cancelled while it was running',
      }),
    ),
  },
});

/** Tells the run how far this call is; `key` is the call's address there. */
const tell = (type: 'DECIDED' | 'SETTLED' | 'SUSPENDED') => ({
  type: 'toParent' as const,
  params: ({ context: { plan, suspension } }: { context: ToolCallContext }) =>
    type === 'SUSPENDED' ? { type, key: plan.key, suspension } : { type, key: plan.key },
});

export const toolCallMachine = types.createMachine({
  id: 'tool_call',
  context: ({ input }) => ({ plan: input.plan, suspension: null }),
  initial: 'new',
  states: {
    new: {
      on: {
        GO: [
          { guard: 'isRefused', target: 'failed', actions: 'closeRefused' },
          { guard: 'asks', target: 'suspended', actions: 'askApproval' },
          { guard: 'isFrontend', target: 'suspended', actions: 'askFrontend' },
          { target: 'running' },
        ],
        CANCEL: { target: 'cancelled', actions: 'closeNeverRan' },
        KILL: { target: 'cancelled', actions: 'closeNeverRan' },
      },
    },
    running: {
      invoke: [
        {
          id: 'exec',
          src: 'execute',
          input: ({ context: { plan } }) => ({ call_id: plan.id, name: plan.name, arguments: plan.arguments }),
        },
        { id: 'timeout', src: 'timer', input: ({ context }) => ({ ms: context.plan.timeout_ms }) },
      ],
      on: {
        KILL: { target: 'cancelled', actions: 'closeStopped' },
        'xstate.done.actor.exec': [
          { guard: 'succeeded', target: 'succeeded', actions: 'closeWithOutcome' },
          { target: 'failed', actions: 'closeWithOutcome' },
        ],
        'xstate.error.actor.exec': { target: 'failed', actions: 'closeWithOutcome' },
      },
      initial: 'executing',
      states: {
        executing: {
          on: {
            CANCEL: 'stopping',
            'fx.lost': [{ guard: 'mayRepeat', target: '#tool_call.running', reenter: true }, '#tool_call.in_doubt'],
            'xstate.done.actor.timeout': [
              { guard: 'mayRepeat', target: '#tool_call.failed', actions: 'closeTimedOut' },
              '#tool_call.in_doubt',
            ],
          },
        },
        stopping: {
          invoke: { id: 'stop', src: 'abort', input: { effect: 'exec' } },
          on: {
            'fx.lost': { target: '#tool_call.cancelled', actions: 'closeStopped' },
            'xstate.done.actor.timeout': { target: '#tool_call.cancelled', actions: 'closeStopped' },
            'xstate.error.actor.exec': { target: '#tool_call.cancelled', actions: 'closeStopped' },
            'xstate.done.actor.exec': [
              { guard: 'aborted', target: '#tool_call.cancelled', actions: 'closeStopped' },
              { guard: 'succeeded', target: '#tool_call.succeeded', actions: 'closeWithOutcome' },
              { target: '#tool_call.failed', actions: 'closeWithOutcome' },
            ],
          },
        },
      },
    },
    suspended: {
      entry: ['tellSuspended', tell('SUSPENDED')],
      on: {
        DECIDE: [
          { guard: 'denies', target: 'failed', actions: ['tellResumed', 'closeDenied'] },
          { guard: 'isApproval', target: 'resuming', actions: 'tellResumed' },
          { target: 'succeeded', actions: ['tellResumed', 'closeWithDecision'] },
        ],
        CANCEL: { target: 'cancelled', actions: 'closeNeverRan' },
        KILL: { target: 'cancelled', actions: 'closeNeverRan' },
      },
    },
    resuming: {
      entry: tell('DECIDED'),
      on: {
        GO: 'running',
        CANCEL: { target: 'cancelled', actions: 'closeNeverRan' },
        KILL: { target: 'cancelled', actions: 'closeNeverRan' },
      },
    },
    in_doubt: {
      entry: ['askInDoubt', 'tellSuspended', tell('SUSPENDED')],
      on: {
        DECIDE: [
          { guard: 'denies', target: 'failed', actions: ['tellResumed', 'closeDidNotHappen'] },
          { guard: 'retries', target: 'resuming', actions: 'tellResumed' },
          { target: 'succeeded', actions: ['tellResumed', 'closeWithDecision'] },
        ],
        CANCEL: { target: 'cancelled', actions: 'closeStopped' },
        KILL: { target: 'cancelled', actions: 'closeStopped' },
      },
    },
    succeeded: { type: 'final', entry: tell('SETTLED') },
    failed: { type: 'final', entry: tell('SETTLED') },
    cancelled: { type: 'final', entry: tell('SETTLED') },
  },
});
