/**
 * The effects a state can want, as XState actor logics.
 *
 * In the product these never run: the host sees the `invoke` in the committed state and performs the effect itself
 * (`host/effects.ts`). Under stock `createActor` they are inert, so that the same machine objects can be inspected,
 * explored with `xstate/graph` and compared with the host (`test/differential.test.ts`).
 */

import { fromPromise } from 'xstate';
import type { ToolEffect } from '../../agents/types.js';
import type { JsonValue } from '../../json.js';

const never = <I>() => fromPromise<unknown, I>(() => new Promise(() => {}));

/** One inference. Outcome: `InferenceResult`; failure: `InferenceFault`. */
export type InferInput = { step: number };

/** One execution of a tool call. Outcome: `ToolOutcome`. */
export type ExecuteInput = { call_id: string; name: string; arguments: JsonValue };

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
  /** Never runs: unknown tool, bad arguments, or a rule denies it. */
  | { gate: 'refused'; outcome: 'failed' | 'denied'; error: string };

/** All the machine needs to know of a call; made by the host from the agent's tools when the inference ends. */
export type CallPlan = {
  /** Address of the call within its run: `<step>.<index>`. */
  key: string;
  id: string;
  name: string;
  arguments: JsonValue;
  effect: ToolEffect;
  timeout_ms: number | null;
} & CallGate;
