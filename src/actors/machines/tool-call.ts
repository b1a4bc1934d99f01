/**
 * The tool-call machine: one call of one step, from the model's wish to its result (CONTRACT 5.1).
 *
 *   new --> running --> succeeded | failed
 *    |         |  \---> in_doubt        crash or timeout of a `once` tool: a person decides
 *    |         \------> running.stopping --> cancelled | succeeded | failed
 *    \--> suspended --> resuming --> running
 *              \------> succeeded (the client's result) | failed (denied)
 *
 * `suspended.relaying` is the question of a child run (CONTRACT 5.5): an answer is carried to the child by running on;
 * when the child was answered elsewhere, `watch` ends and the call runs on by itself.
 *
 * Guarantees: a `once` call enters `running` at most once unless a person says `retry`; every call ends in exactly one
 * `tool_call_done` and one tool message, so the history stays valid for the model.
 *
 * `GO` comes from the run, which knows the execution mode (sequential, batch approval, parallel).
 */

import { assign, emit, setup } from 'xstate';
import type { JsonValue } from '../../json.js';
import type { Suspension, SuspensionKind } from '../events.js';
import type { Decision } from '../records.js';
import type { Emitted } from './emitted.js';
import { logics, type CallOutcome, type CallPlan, type Relay } from './logics.js';

export type ToolCallContext = {
  plan: CallPlan;
  suspension: Suspension | null;
  /** The newest question of the call's child, and the answer to it while it is carried there. */
  relay: Relay | null;
  answer: Decision | null;
  /** The agent that the run goes on as. */
  handoff: string | null;
  /** How often it was begun; absent before the first time, and in rows of builds that did not count. */
  attempts?: number;
};

export type ToolCallEvent =
  | { type: 'GO' }
  | { type: 'DECIDE'; decision: Decision }
  /** Stop: cooperatively when it runs, at once when it does not. */
  | { type: 'CANCEL' }
  /** The cancel deadline has passed: close, whatever the tool does. */
  | { type: 'KILL' }
  /** The process that executed the call is gone. */
  | { type: 'fx.lost' }
  | { type: 'xstate.done.actor.exec'; output: CallOutcome }
  | { type: 'xstate.done.actor.watch'; output: unknown }
  | { type: 'xstate.error.actor.exec'; error: { message: string } }
  | { type: 'xstate.done.actor.timeout'; output: unknown }
  | { type: 'xstate.done.actor.expiry'; output: unknown };

type End = { outcome: 'succeeded'; result: JsonValue } | { outcome: 'failed' | 'denied' | 'cancelled'; error: string };

/** What the model is told of calls without a result of their own. */
export const NEVER_RAN = 'cancelled before it ran';
export const MAY_HAVE_RUN = 'was running when it was stopped; it may have taken effect';
const DENIED = 'denied by the user';
const EXPIRED = 'nobody approved it in time';

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

/** It has been executed, in part at least, or may have been: it asked while it ran, or its outcome was in doubt. */
const wasBegun = ({ plan, attempts = 0 }: ToolCallContext): boolean => attempts > 0 || plan.gate === 'in_doubt';

const stopped = ({ plan }: ToolCallContext): string =>
  plan.effect === 'once' ? MAY_HAVE_RUN : 'cancelled while it was running';

const outcome = (event: ToolCallEvent): CallOutcome | undefined =>
  event.type === 'xstate.done.actor.exec' ? event.output : undefined;
const decision = (event: ToolCallEvent) => (event.type === 'DECIDE' ? event.decision : undefined);

const types = setup({
  types: {
    context: {} as ToolCallContext,
    input: {} as { plan: CallPlan },
    events: {} as ToolCallEvent,
    emitted: {} as Emitted,
  },
  actors: { execute: logics.execute, watch: logics.watch, timer: logics.timer, abort: logics.abort },
  guards: {
    asks: ({ context }) => context.plan.gate === 'approval',
    isFrontend: ({ context }) => context.plan.gate === 'frontend',
    isInDoubt: ({ context }) => context.plan.gate === 'in_doubt',
    isRefused: ({ context }) => context.plan.gate === 'refused',
    mayRepeat: ({ context }) => context.plan.effect !== 'once',
    succeeded: ({ event }) => ['succeeded', 'handed_off'].includes(outcome(event)?.outcome ?? ''),
    relays: ({ event }) => outcome(event)?.outcome === 'relayed',
    isRelay: ({ context }) => context.relay !== null,
    /** The tool asked a question instead of answering (`ctx.suspend`). */
    asksInput: ({ event }) => outcome(event)?.outcome === 'suspended',
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
    toParent: (
      _,
      _event: { type: string; key: string; suspension?: Suspension | null; outcome?: string; handoff?: string },
    ) => {},
    countAttempt: assign({ attempts: ({ context }) => (context.attempts ?? 0) + 1 }),
    askApproval: assign({
      suspension: ({ context: { plan } }) =>
        newSuspension(plan, 'approval', plan.gate === 'approval' ? plan.message : plan.name),
    }),
    askFrontend: assign({
      suspension: ({ context: { plan } }) =>
        newSuspension(plan, 'frontend', plan.gate === 'frontend' ? plan.message : plan.name),
    }),
    askInput: assign({
      suspension: ({ context: { plan }, event }) => {
        const o = outcome(event);
        if (o?.outcome !== 'suspended') return null;
        const asked = newSuspension(plan, 'input', o.message);
        return o.response_schema === undefined ? asked : { ...asked, response_schema: o.response_schema };
      },
    }),
    askForChild: assign(({ context: { plan }, event }) => {
      const o = outcome(event);
      if (o?.outcome !== 'relayed') return {};
      const asked = newSuspension(plan, o.relay.kind, o.message);
      const suspension = o.response_schema === undefined ? asked : { ...asked, response_schema: o.response_schema };
      return { relay: o.relay, suspension, answer: null };
    }),
    keepAnswer: assign({ answer: ({ event }) => decision(event) ?? null }),
    /** The question is the child's, and so is the denial: it goes on without, and its parent gets its answer. */
    keepExpiry: assign({
      answer: ({ context }): Decision => ({
        target_id: context.relay!.target_id,
        decision_id: `expired ${context.relay!.target_id}`,
        action: 'cancel',
        result: null,
        reason: EXPIRED,
        updated_at: 0,
      }),
      suspension: null,
    }),
    forgetQuestion: assign({ answer: null, suspension: null }),
    noteHandoff: assign({
      handoff: ({ event }) => {
        const o = outcome(event);
        return o?.outcome === 'handed_off' ? o.agent_id : null;
      },
    }),
    askInDoubt: assign({
      suspension: ({ context: { plan } }) =>
        newSuspension(
          plan,
          'in_doubt',
          plan.gate === 'in_doubt'
            ? plan.message
            : `${plan.name} was started and its outcome is unknown: did it happen?`,
        ),
    }),
    tellSuspended: emit(({ context: { plan, suspension } }): Emitted => {
      const { id, kind, message, response_schema } = suspension!;
      return {
        type: 'tool_call_suspended',
        id: plan.id,
        name: plan.name,
        arguments: plan.arguments,
        suspension: { id, kind, message, ...(response_schema === undefined ? {} : { response_schema }) },
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
      if (o?.outcome === 'succeeded' || o?.outcome === 'handed_off')
        return closed(context, { outcome: 'succeeded', result: o.result });
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
    closeExpired: emit(({ context }) => closed(context, { outcome: 'denied', error: EXPIRED })),
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
    /** What the model is told depends on whether it was begun, and on what a repetition would do (CONTRACT 1.13). */
    closeCancelled: emit(({ context }) =>
      closed(context, { outcome: 'cancelled', error: wasBegun(context) ? stopped(context) : NEVER_RAN }),
    ),
    closeStopped: emit(({ context }) => closed(context, { outcome: 'cancelled', error: stopped(context) })),
  },
});

/** Tells the run how far this call is; `key` is the call's address there. */
const tell = (type: 'DECIDED' | 'SUSPENDED' | 'AWAKE') => ({
  type: 'toParent' as const,
  params: ({ context: { plan, suspension } }: { context: ToolCallContext }) => ({
    type,
    key: plan.key,
    ...(type === 'SUSPENDED' ? { suspension } : {}),
  }),
});

/** Tells the run how this call ended. */
const tellEnd = (end: 'succeeded' | 'failed' | 'cancelled') => ({
  type: 'toParent' as const,
  params: ({ context, event }: { context: ToolCallContext; event: ToolCallEvent }) => ({
    type: 'SETTLED',
    key: context.plan.key,
    outcome: end === 'failed' && wasDenied(context, event) ? 'denied' : end,
    ...(context.handoff === null ? {} : { handoff: context.handoff }),
  }),
});

/** A failed call that a person or a rule did not let happen, as against one that went wrong. */
const wasDenied = ({ plan, suspension }: ToolCallContext, { type }: ToolCallEvent): boolean =>
  type === 'xstate.done.actor.expiry' ||
  (type === 'DECIDE' && suspension?.kind !== 'in_doubt') ||
  (type === 'GO' && plan.gate === 'refused' && plan.outcome === 'denied');

export const toolCallMachine = types.createMachine({
  id: 'tool_call',
  context: ({ input }) => ({ plan: input.plan, suspension: null, relay: null, answer: null, handoff: null }),
  initial: 'new',
  states: {
    new: {
      on: {
        GO: [
          { guard: 'isRefused', target: 'failed', actions: 'closeRefused' },
          { guard: 'asks', target: 'suspended', actions: 'askApproval' },
          { guard: 'isFrontend', target: 'suspended', actions: 'askFrontend' },
          { guard: 'isInDoubt', target: 'in_doubt' },
          { target: 'running' },
        ],
        CANCEL: { target: 'cancelled', actions: 'closeCancelled' },
        KILL: { target: 'cancelled', actions: 'closeCancelled' },
      },
    },
    running: {
      entry: 'countAttempt',
      invoke: [
        {
          id: 'exec',
          src: 'execute',
          input: ({ context: { plan, relay, answer } }) => ({
            call_id: plan.id,
            name: plan.name,
            arguments: plan.arguments,
            ...(plan.agent_id === undefined ? {} : { agent_id: plan.agent_id }),
            ...(relay ? { child: relay.run_id } : {}),
            ...(relay && answer ? { answer: { relay, decision: answer } } : {}),
          }),
        },
        { id: 'timeout', src: 'timer', input: ({ context }) => ({ ms: context.plan.timeout_ms }) },
      ],
      on: {
        KILL: { target: 'cancelled', actions: 'closeStopped' },
        'xstate.done.actor.exec': [
          { guard: 'succeeded', target: 'succeeded', actions: ['closeWithOutcome', 'noteHandoff'] },
          { guard: 'asksInput', target: 'suspended', actions: 'askInput' },
          { guard: 'relays', target: 'suspended.relaying', actions: 'askForChild' },
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
              { guard: 'asksInput', target: '#tool_call.cancelled', actions: 'closeStopped' },
              { guard: 'relays', target: '#tool_call.cancelled', actions: 'closeStopped' },
              { guard: 'succeeded', target: '#tool_call.succeeded', actions: 'closeWithOutcome' },
              { target: '#tool_call.failed', actions: 'closeWithOutcome' },
            ],
          },
        },
      },
    },
    suspended: {
      entry: ['tellSuspended', tell('SUSPENDED')],
      invoke: {
        id: 'expiry',
        src: 'timer',
        input: ({ context: { plan, suspension } }) => ({ ms: suspension?.kind === 'approval' ? plan.expiry_ms : null }),
      },
      initial: 'asking',
      states: {
        asking: {},
        relaying: {
          invoke: { id: 'watch', src: 'watch', input: ({ context }) => ({ relay: context.relay! }) },
          on: {
            'fx.lost': { target: 'relaying', reenter: true },
            'xstate.done.actor.expiry': { target: '#tool_call.running', actions: ['keepExpiry', tell('AWAKE')] },
            'xstate.done.actor.watch': { target: '#tool_call.running', actions: ['forgetQuestion', tell('AWAKE')] },
          },
        },
      },
      on: {
        DECIDE: [
          { guard: 'isRelay', target: 'resuming', actions: ['keepAnswer', 'tellResumed'] },
          { guard: 'denies', target: 'failed', actions: ['tellResumed', 'closeDenied'] },
          { guard: 'isApproval', target: 'resuming', actions: 'tellResumed' },
          { target: 'succeeded', actions: ['tellResumed', 'closeWithDecision'] },
        ],
        'xstate.done.actor.expiry': { target: 'failed', actions: 'closeExpired' },
        CANCEL: { target: 'cancelled', actions: 'closeCancelled' },
        KILL: { target: 'cancelled', actions: 'closeCancelled' },
      },
    },
    resuming: {
      entry: tell('DECIDED'),
      on: {
        GO: 'running',
        CANCEL: { target: 'cancelled', actions: 'closeCancelled' },
        KILL: { target: 'cancelled', actions: 'closeCancelled' },
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
    succeeded: { type: 'final', entry: tellEnd('succeeded') },
    failed: { type: 'final', entry: tellEnd('failed') },
    cancelled: { type: 'final', entry: tellEnd('cancelled') },
  },
});
