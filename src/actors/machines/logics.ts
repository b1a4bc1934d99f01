/**
 * The effects a state can want, as XState actor logics.
 *
 * In the product these never run: the host sees the `invoke` in the committed state and performs the effect itself
 * (`thread/effects.ts`). Under stock `createActor` they are inert, so that the same machine objects can be inspected,
 * explored with `xstate/graph` and compared with the host (`test/differential.test.ts`).
 */

import { fromPromise } from 'xstate';
import type { ToolEffect, ToolOutcome } from '../../agents/types.js';
import type { JsonObject, JsonValue } from '../../json.js';
import type { SuspensionKind } from '../events.js';
import type { Decision } from '../records.js';

const never = <I>() => fromPromise<unknown, I>(() => new Promise(() => {}));

/** One inference. Outcome: `InferenceResult`; failure: `InferenceFault`. */
export type InferInput = { step: number };

/** A question of a child run, asked by the parent's call in its place (CONTRACT 5.5). */
export type Relay = { run_id: string; target_id: string; kind: SuspensionKind };

/** One execution of a tool call. Outcome: `CallOutcome`. */
export type ExecuteInput = {
  call_id: string;
  name: string;
  /** The agent that made the call: the run may have been handed on since. Calls of old have none. */
  agent_id?: string;
  arguments: JsonValue;
  /** The child run that the call has begun, as far as it is known: not to be begun again when it is gone. */
  child?: string;
  /** What a person has answered to the question that the call relayed. */
  answer?: { relay: Relay; decision: Decision };
};

/** What an execution comes to: a tool's outcome, or what only the runtime's own tools do. */
export type CallOutcome =
  | ToolOutcome
  /** A child run waits for a person. */
  | { outcome: 'relayed'; relay: Relay; message: string; response_schema?: JsonObject }
  /** The run goes on as another agent. */
  | { outcome: 'handed_off'; agent_id: string; result: JsonValue };

/** Ends when the child's question is no longer open, whoever answered it. */
export type WatchInput = { relay: Relay };

/**
 * Ends after `ms` milliseconds (`null`: never). The host turns it into an absolute, durable deadline when the state is
 * entered, so it survives restarts and is not re-armed by them.
 */
export type TimerInput = { ms: number | null };

/** Asks a sibling effect of the same actor to stop: its `AbortSignal` fires, its outcome is still awaited. */
export type AbortInput = { effect: string };

export const logics = {
  infer: never<InferInput>(),
  execute: never<ExecuteInput>(),
  watch: never<WatchInput>(),
  timer: never<TimerInput>(),
  abort: never<AbortInput>(),
};

/** What stands between a call and its execution (CONTRACT 5.2). */
export type CallGate =
  /** Runs when its turn comes. */
  | { gate: 'open' }
  /** A permission rule asks a person first. */
  | { gate: 'approval'; message: string }
  /** A client executes it and sends the result. */
  | { gate: 'frontend'; message: string }
  /** It may have taken effect before anybody could say so: a person tells (CONTRACT 1.15). */
  | { gate: 'in_doubt'; message: string }
  /** Never runs: unknown tool, bad arguments, or a rule denies it. */
  | { gate: 'refused'; outcome: 'failed' | 'denied'; error: string };

/** All the machine needs to know of a call; made by the host from the agent's tools when the inference ends. */
export type CallPlan = {
  /** Address of the call within its run: `<step>.<index>`. */
  key: string;
  id: string;
  name: string;
  /** The agent that made it, whose tool it is; plans of old have none. */
  agent_id?: string;
  arguments: JsonValue;
  effect: ToolEffect;
  timeout_ms: number | null;
  /** Milliseconds after which an approval that nobody gave counts as denied; `null`: never. */
  expiry_ms: number | null;
} & CallGate;
