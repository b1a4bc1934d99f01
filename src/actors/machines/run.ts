/**
 * The run machine: the loop of an agent. It asks the model (`inferring`), has the calls carried out (`acting`), stands
 * while every unfinished call needs a person or a client (`waiting`), and ends exactly once (`done`).
 *
 *   running.inferring <--> running.acting <--> waiting
 *        |  \--> running.backing_off            |
 *        \------------> cancelling <------------/      every way to stop early closes the open calls first
 *                           \--> done
 *
 * Guarantees: one inference per step; a finished step is never asked again; nothing is emitted after `run_finish`; the
 * run reaches `done` at the latest `limits.cancel_ms` after it was told to stop, whatever its tools do.
 */

import { assign, emit, enqueueActions, setup } from 'xstate';
import { stopAfterStep, type StepCall, type Stop, type StopCondition } from '../../agents/rules/stop-conditions.js';
import { noMemory, remember, type StopMemory } from '../../agents/rules/stop-memory.js';
import type { ExecutionMode } from '../../agents/types.js';
import type { InferenceOutcome } from '../../agents/model-call.js';
import type { Suspension, TerminationCode, Usage } from '../events.js';
import type { Decision } from '../records.js';
import { allSettled, mustWait, pending, ready, type Calls } from './calls.js';
import type { Emitted } from './emitted.js';
import { logics, type CallPlan } from './logics.js';
import { toolCallMachine } from './tool-call.js';

/** Fixed when the run starts, so that a changed configuration does not change a run under way. */
export type RunLimits = {
  /** Model calls before the run ends `max_rounds_reached`. */
  max_rounds: number;
  /** Retries of one step after retryable provider errors. */
  max_retries: number;
  /** First back-off in milliseconds; doubles with each retry. */
  retry_ms: number;
  /** Milliseconds a cancelled run waits for its running tools. */
  cancel_ms: number;
  /** Milliseconds the run may be running without a pause; `null`: no bound. */
  timeout_ms: number | null;
};

export type RunInput = {
  run_id: string;
  agent_id: string;
  parent_run_id: string | null;
  parent_thread_id: string | null;
  origin: string;
  mode: ExecutionMode;
  limits: RunLimits;
  /** When the run ends although its model would go on. */
  stop_conditions: readonly StopCondition[];
  /** The start changed the thread's state: readers are told what it is now. */
  state_changed: boolean;
};

/** The facts after an answer: its calls have no outcome yet. */
const factsOf = ({ facts, stop_conditions }: RunContext, answer: InferenceResult): RunContext['facts'] =>
  stop_conditions.length === 0
    ? null
    : {
        memory: facts?.memory ?? noMemory,
        text: answer.text,
        calls: answer.calls.map((call) => ({ name: call.name, arguments: call.arguments, outcome: 'cancelled' })),
      };

/** Why the run ends after this step, if it does. All calls have their results. */
function stopOf({ facts, stop_conditions, usage, step, calls }: RunContext): Stop | null {
  if (!facts) return null;
  const ended = endedCalls(facts.calls, calls);
  return stopAfterStep(stop_conditions, {
    text: facts.text,
    calls: ended,
    usage,
    rounds: step + 1,
    ...remember(facts.memory, ended),
  });
}

const endedCalls = (made: StepCall[], calls: Calls): StepCall[] => {
  const outcomes = Object.values(calls).map((call) => call.outcome);
  return made.map((call, i) => ({ ...call, outcome: outcomes[i] ?? call.outcome }));
};

type Ending = { code: TerminationCode; detail: string | null; response: string | null };

export type RunContext = RunInput & {
  /** Index of the step under way, from 0. */
  step: number;
  /** Retries told to the log in this step, for any reason. */
  attempt: number;
  /** Provider failures of this step. */
  failures: number;
  backoff_ms: number;
  usage: Usage;
  /** The calls of the step under way, in the model's order. */
  calls: Calls;
  /** What the stop conditions look at; kept only when there are any. */
  facts: { text: string; calls: StepCall[]; memory: StopMemory } | null;
  ending: Ending | null;
};

/** What the host makes of a finished inference: the outcome, with each call planned against the agent's tools. */
export type InferenceResult = Omit<InferenceOutcome, 'calls'> & { calls: CallPlan[] };
export type InferenceFault = { message: string; retryable: boolean; retry_after_ms: number | null };

export type RunEvent =
  | { type: 'CANCEL'; code: 'cancelled' | 'superseded'; detail: string | null }
  /** The host met an exception that this run cannot get past. */
  | { type: 'FAULT'; message: string }
  /** Decisions of pending calls, by call key; the host has left out all others. The thread's state may have come with them. */
  | { type: 'DECIDE'; decisions: { key: string; decision: Decision }[]; state_changed: boolean }
  | { type: 'SUSPENDED'; key: string; suspension: Suspension }
  | { type: 'DECIDED'; key: string }
  | { type: 'SETTLED'; key: string; outcome: StepCall['outcome']; handoff?: string }
  /** The question that a call relayed was answered elsewhere: the call runs on. */
  | { type: 'AWAKE'; key: string }
  | { type: 'fx.lost' }
  | { type: 'xstate.done.actor.model'; output: InferenceResult }
  | { type: 'xstate.error.actor.model'; error: InferenceFault }
  | { type: 'xstate.done.actor.backoff'; output: unknown }
  | { type: 'xstate.done.actor.timeout'; output: unknown }
  | { type: 'xstate.done.actor.deadline'; output: unknown };

const MAX_BACKOFF_MS = 30_000;

const result = (event: RunEvent): InferenceResult | undefined =>
  event.type === 'xstate.done.actor.model' ? event.output : undefined;
const fault = (event: RunEvent): InferenceFault | undefined =>
  event.type === 'xstate.error.actor.model' ? event.error : undefined;

const sum = (a: Usage, b: Usage | undefined): Usage =>
  b === undefined
    ? a
    : {
        input_tokens: a.input_tokens + b.input_tokens,
        output_tokens: a.output_tokens + b.output_tokens,
        total_tokens: a.total_tokens + b.total_tokens,
      };

/** Marks one call; the others keep their state. */
const mark = (context: RunContext, key: string, call: Partial<Calls[string]>): Calls => {
  const known = context.calls[key];
  return known === undefined ? context.calls : { ...context.calls, [key]: { ...known, ...call } };
};

const open = setup({
  types: {
    context: {} as RunContext,
    input: {} as RunInput,
    events: {} as RunEvent,
    emitted: {} as Emitted,
    children: {},
  },
  actors: { tool_call: toolCallMachine, infer: logics.infer, timer: logics.timer },
  guards: {
    hasCalls: ({ event }) => (result(event)?.calls.length ?? 0) > 0,
    mayRetry: ({ context, event }) => fault(event)?.retryable === true && context.failures < context.limits.max_retries,
    allSettled: ({ context }) => allSettled(context.calls),
    stopHolds: ({ context }) => allSettled(context.calls) && stopOf(context) !== null,
    roundsSpent: ({ context }) => allSettled(context.calls) && context.step + 1 >= context.limits.max_rounds,
    mustWait: ({ context }) => mustWait(context.calls, context.mode),
    hasReady: ({ context }) => ready(context.calls, context.mode).length > 0,
    hasDecisions: ({ event }) => event.type === 'DECIDE' && event.decisions.length > 0,
  },
  actions: {
    /** Executed by the host; stock actors map it to `sendParent`. */
    toParent: (_, _event: { type: string; run_id: string }) => {},
    tellStart: enqueueActions(({ context: c, enqueue }) => {
      const { agent_id, parent_run_id, parent_thread_id, origin } = c;
      enqueue.emit({ type: 'run_start', agent_id, parent_run_id, parent_thread_id, origin });
      if (c.state_changed) enqueue.emit({ type: 'state_snapshot' });
    }),
    tellStep: emit({ type: 'step_start' }),
    nextStep: assign(({ context }) => ({
      step: context.step + 1,
      attempt: 0,
      failures: 0,
      calls: {},
      facts: context.facts && {
        ...context.facts,
        memory: remember(context.facts.memory, endedCalls(context.facts.calls, context.calls)),
      },
    })),
    countRetry: assign(({ context, event }) => {
      const error = fault(event);
      return {
        attempt: context.attempt + 1,
        failures: context.failures + (error === undefined ? 0 : 1),
        backoff_ms: Math.min(
          MAX_BACKOFF_MS,
          Math.max(error?.retry_after_ms ?? 0, context.limits.retry_ms * 2 ** context.failures),
        ),
      };
    }),
    tellRetry: emit(({ context, event }): Emitted => ({
      type: 'inference_retry',
      attempt: context.attempt,
      reason: fault(event)?.message ?? 'the server restarted',
    })),
    tellAnswer: enqueueActions(({ event, enqueue }) => {
      const { text, calls, model, usage, duration_ms, finish_reason, trace } = result(event)!;
      enqueue.emit({ type: 'inference_complete', model, usage, duration_ms });
      enqueue.emit({
        type: 'message',
        partial: false,
        content: text,
        tool_calls: calls.map((call) => ({ id: call.id, name: call.name, arguments: call.arguments })),
        ...(trace === undefined ? {} : { trace }),
      });
      enqueue.emit({ type: 'step_end', finish_reason });
    }),
    takeIn: assign(({ context, event }) => ({
      usage: sum(context.usage, result(event)?.usage),
      facts: factsOf(context, result(event)!),
    })),
    /** The step ends without an answer: what has streamed so far stays in the history. */
    tellCutOff: enqueueActions(({ enqueue }) => {
      enqueue.emit({ type: 'message', partial: true });
      enqueue.emit({ type: 'step_end', finish_reason: 'other' });
    }),
    tellFailure: enqueueActions(({ event, enqueue }) => {
      enqueue.emit({ type: 'message', partial: true });
      enqueue.emit({ type: 'step_end', finish_reason: 'error' });
      enqueue.emit({ type: 'error', message: fault(event)?.message ?? 'the model failed', code: 'model_error' });
    }),
    spawnCalls: enqueueActions(({ event, enqueue }) => {
      for (const plan of result(event)!.calls) enqueue.spawnChild('tool_call', { id: plan.key, input: { plan } });
    }),
    listCalls: assign({
      calls: ({ event }) =>
        Object.fromEntries(result(event)!.calls.map((plan) => [plan.key, { id: plan.id, is: 'queued' as const }])),
    }),
    letGo: enqueueActions(({ context, enqueue }) => {
      const keys = ready(context.calls, context.mode);
      for (const key of keys) enqueue.sendTo(key, { type: 'GO' });
      enqueue.assign({
        calls: keys.reduce(
          (calls, key) => ({ ...calls, [key]: { id: calls[key]!.id, is: 'open' as const } }),
          context.calls,
        ),
      });
    }),
    noteSuspended: assign({
      calls: ({ context, event }) =>
        event.type === 'SUSPENDED'
          ? mark(context, event.key, { is: 'suspended', suspension: event.suspension })
          : context.calls,
    }),
    noteAwake: assign({
      calls: ({ context, event }) =>
        event.type === 'AWAKE' ? mark(context, event.key, { is: 'open' }) : context.calls,
    }),
    noteDecided: assign({
      calls: ({ context, event }) =>
        event.type === 'DECIDED' ? mark(context, event.key, { is: 'decided' }) : context.calls,
    }),
    noteSettled: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'SETTLED') return;
      enqueue.stopChild(event.key);
      const { handoff } = event;
      if (handoff !== undefined) {
        enqueue.emit({ type: 'handoff', agent_id: handoff });
        enqueue.assign({ agent_id: handoff });
      }
      enqueue.assign({ calls: mark(context, event.key, { is: 'settled', outcome: event.outcome }) });
    }),
    forwardDecisions: enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== 'DECIDE') return;
      if (event.state_changed) enqueue.emit({ type: 'state_snapshot' });
      let calls = context.calls;
      for (const { key, decision } of event.decisions) {
        enqueue.sendTo(key, { type: 'DECIDE', decision });
        calls = { ...calls, [key]: { id: calls[key]!.id, is: 'open' } };
      }
      enqueue.assign({ calls });
    }),
    tellWaiting: emit(({ context }): Emitted => ({ type: 'run_waiting', pending: pending(context.calls) })),
    tellResumed: emit(({ event }): Emitted => ({
      type: 'run_resumed',
      decisions: event.type === 'DECIDE' ? event.decisions.map(({ decision }) => decision.decision_id) : [],
    })),
    stopCalls: enqueueActions(({ context, enqueue }, params: { event: 'CANCEL' | 'KILL' }) => {
      for (const [key, call] of Object.entries(context.calls))
        if (call.is !== 'settled') enqueue.sendTo(key, { type: params.event });
    }),
    endNatural: assign({
      ending: ({ context, event }): Ending => ({
        ...(stopOf(context) ?? { code: 'natural', detail: null }),
        response: result(event)?.text ?? '',
      }),
    }),
    endStopped: assign({
      ending: ({ context }): Ending => ({ ...stopOf(context)!, response: context.facts?.text ?? null }),
    }),
    endRounds: assign({ ending: (): Ending => ({ code: 'max_rounds_reached', detail: null, response: null }) }),
    endTimeout: assign({ ending: (): Ending => ({ code: 'timeout_reached', detail: null, response: null }) }),
    endFailed: assign({
      ending: ({ event }): Ending => ({ code: 'error', detail: fault(event)?.message ?? null, response: null }),
    }),
    endFault: assign({
      ending: ({ event }): Ending => ({
        code: 'error',
        detail: event.type === 'FAULT' ? event.message : null,
        response: null,
      }),
    }),
    tellFault: emit(({ event }): Emitted => ({
      type: 'error',
      message: event.type === 'FAULT' ? event.message : '',
      code: 'internal',
    })),
    endCancelled: assign({
      ending: ({ event }): Ending =>
        event.type === 'CANCEL'
          ? { code: event.code, detail: event.detail, response: null }
          : { code: 'cancelled', detail: null, response: null },
    }),
    tellFinish: emit(({ context: { ending, usage } }): Emitted => ({
      type: 'run_finish',
      termination: { code: ending!.code, detail: ending!.detail },
      result: ending!.response === null ? null : { response: ending!.response },
      usage,
    })),
  },
});

/** Tells the thread where this run stands. */
const tell = (type: 'WAITING' | 'RESUMED' | 'FINISHED') => ({
  type: 'toParent' as const,
  params: ({ context }: { context: RunContext }) => ({ type, run_id: context.run_id }),
});

export const runMachine = open.createMachine({
  id: 'run',
  context: ({ input }) => ({
    ...input,
    step: 0,
    attempt: 0,
    failures: 0,
    backoff_ms: 0,
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    calls: {},
    facts: null,
    ending: null,
  }),
  entry: ['tellStart', 'tellStep'],
  initial: 'running',
  on: { FAULT: { target: '.cancelling', actions: ['tellFault', 'endFault'] } },
  states: {
    running: {
      invoke: { id: 'timeout', src: 'timer', input: ({ context }) => ({ ms: context.limits.timeout_ms }) },
      initial: 'inferring',
      states: {
        inferring: {
          invoke: { id: 'model', src: 'infer', input: ({ context }) => ({ step: context.step }) },
          on: {
            'fx.lost': { target: 'inferring', reenter: true, actions: ['countRetry', 'tellRetry'] },
            'xstate.done.actor.model': [
              { guard: 'hasCalls', target: 'acting', actions: ['tellAnswer', 'takeIn', 'listCalls', 'spawnCalls'] },
              { target: '#run.done', actions: ['tellAnswer', 'takeIn', 'endNatural'] },
            ],
            'xstate.error.actor.model': [
              { guard: 'mayRetry', target: 'backing_off', actions: ['countRetry', 'tellRetry'] },
              { target: '#run.done', actions: ['tellFailure', 'endFailed'] },
            ],
            CANCEL: { target: '#run.cancelling', actions: ['tellCutOff', 'endCancelled'] },
            FAULT: { target: '#run.cancelling', actions: ['tellCutOff', 'tellFault', 'endFault'] },
            'xstate.done.actor.timeout': { target: '#run.cancelling', actions: ['tellCutOff', 'endTimeout'] },
          },
        },
        backing_off: {
          invoke: { id: 'backoff', src: 'timer', input: ({ context }) => ({ ms: context.backoff_ms }) },
          on: {
            'xstate.done.actor.backoff': 'inferring',
            CANCEL: { target: '#run.cancelling', actions: ['tellCutOff', 'endCancelled'] },
            FAULT: { target: '#run.cancelling', actions: ['tellCutOff', 'tellFault', 'endFault'] },
            'xstate.done.actor.timeout': { target: '#run.cancelling', actions: ['tellCutOff', 'endTimeout'] },
          },
        },
        acting: {
          always: [
            { guard: 'stopHolds', target: '#run.done', actions: 'endStopped' },
            { guard: 'roundsSpent', target: '#run.done', actions: 'endRounds' },
            { guard: 'allSettled', target: 'inferring', actions: ['nextStep', 'tellStep'] },
            { guard: 'hasReady', actions: 'letGo' },
            { guard: 'mustWait', target: '#run.waiting' },
          ],
          on: {
            SUSPENDED: { actions: 'noteSuspended' },
            DECIDED: { actions: 'noteDecided' },
            AWAKE: { actions: 'noteAwake' },
            SETTLED: { actions: 'noteSettled' },
            DECIDE: { guard: 'hasDecisions', actions: 'forwardDecisions' },
            CANCEL: { target: '#run.cancelling', actions: 'endCancelled' },
            'xstate.done.actor.timeout': { target: '#run.cancelling', actions: 'endTimeout' },
          },
        },
      },
    },
    waiting: {
      entry: ['tellWaiting', tell('WAITING')],
      on: {
        DECIDE: {
          guard: 'hasDecisions',
          target: 'running.acting',
          actions: ['tellResumed', tell('RESUMED'), 'forwardDecisions'],
        },
        AWAKE: { target: 'running.acting', actions: ['tellResumed', tell('RESUMED'), 'noteAwake'] },
        /** An approval has expired. */
        SETTLED: { target: 'running.acting', actions: ['tellResumed', tell('RESUMED'), 'noteSettled'] },
        CANCEL: { target: 'cancelling', actions: 'endCancelled' },
      },
    },
    cancelling: {
      entry: { type: 'stopCalls', params: { event: 'CANCEL' } },
      invoke: { id: 'deadline', src: 'timer', input: ({ context }) => ({ ms: context.limits.cancel_ms }) },
      always: { guard: 'allSettled', target: 'done' },
      on: {
        SETTLED: { actions: 'noteSettled' },
        /** A call that fell into doubt while it was being stopped. */
        SUSPENDED: { actions: 'noteSuspended' },
        'xstate.done.actor.deadline': { actions: { type: 'stopCalls', params: { event: 'KILL' } } },
        FAULT: { actions: { type: 'stopCalls', params: { event: 'KILL' } } },
      },
    },
    done: { type: 'final', entry: ['tellFinish', tell('FINISHED')] },
  },
});
