/**
 * What an agent is to the runtime: a model, a prompt, tools with declared effects, and limits.
 *
 * Nothing here runs an agent: the loop is the run machine (`actors/`). This folder answers two questions for it: "ask
 * the model once" (`inference.ts`) and "execute this tool call once" (`execution.ts`).
 */

import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { JsonObject, JsonValue } from '../json.js';
import type { RemoteAgent } from './remote/types.js';
import type { Permission, PermissionRule } from './rules/permissions.js';
import type { StopCondition } from './rules/stop-conditions.js';

/** What a second execution of the same call would do (CONTRACT 1.15). */
export const ToolEffect = {
  /** Reads only: executed again after a crash without asking. */
  readOnly: 'readOnly',
  /** Writes, but a repetition changes nothing more: executed again after a crash without asking. */
  idempotent: 'idempotent',
  /** Must not happen twice: a crash in the middle makes the call `in_doubt` and a person decides. The default. */
  once: 'once',
} as const;
export type ToolEffect = (typeof ToolEffect)[keyof typeof ToolEffect];

/** The thread's state as a running tool sees it. */
export type ToolState = {
  /** As of now: the last commit, and every merge of this call that has resolved. A copy; changing it changes nothing. */
  get(): JsonObject;
  /** Merges a patch (RFC 7396: null deletes a key). Resolves with the merged state when it is durable. */
  merge(patch: JsonObject): Promise<JsonObject>;
};

/** What a tool asks of whoever answers for the user. */
export type Question = {
  message: string;
  /** JSON Schema of the answer that is hoped for, for whoever shows the question. */
  response_schema?: JsonObject;
};

export type ToolContext = {
  /** Aborted when the run is cancelled, the call times out or the server stops. */
  signal: AbortSignal;
  run_id: string;
  thread_id: string;
  agent_id: string;
  call_id: string;
  /** Tells watchers how far the call is. `progress` is a fraction 0..1. Coalesced: the latest wins. */
  progress(report: { progress: number; message?: string }): void;
  /**
   * Asks a question and ends this execution: it never returns, and whatever the tool does afterwards is ignored. The
   * answer becomes the tool's result (CONTRACT 5.3); the tool is not called again.
   */
  suspend(question: Question): never;
  state: ToolState;
};

/** What the runtime hands to an execution; the execution itself adds what ends it. */
export type ExecutionContext = Omit<ToolContext, 'suspend'>;

export type Tool = {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
  effect: ToolEffect;
  /** Milliseconds one execution may take; the server's default (5 min) when absent. */
  timeout_ms?: number;
  /** What holds when no rule of the agent matches the call. Default `allow`. */
  permission?: Permission;
  /** Parsed arguments, or what is wrong with them as a text for the model. */
  validate(args: JsonValue): { ok: true; value: unknown } | { ok: false; error: string };
  /** The work. Absent on a frontend tool: the call is suspended and a client supplies the result. */
  execute?(input: unknown, context: ToolContext): Promise<JsonValue | undefined> | JsonValue | undefined;
};

/** How the calls of one step go together (CONTRACT 5.3). */
export const executionModes = ['sequential', 'parallel_batch_approval', 'parallel_streaming'] as const;
export type ExecutionMode = (typeof executionModes)[number];

export type ModelOptions = {
  temperature?: number;
  top_p?: number;
  max_output_tokens?: number;
  stop?: string[];
  seed?: number;
};

/** What a surface does with a run whose client has gone (CONTRACT 1.8). */
export const disconnectPolicies = ['continue', 'cancel'] as const;
export type OnDisconnect = (typeof disconnectPolicies)[number];

/** What a start does when its thread has an active run (CONTRACT 1.9). */
export const busyPolicies = ['interrupt', 'enqueue', 'reject', 'rollback'] as const;
export type OnBusy = (typeof busyPolicies)[number];

/** Immutable: a changed agent is another value. */
export type Agent = Readonly<{
  id: string;
  name: string;
  description: string;
  /** As configured, `<provider>:<model id>`; what `inference_complete.model` shows is what the provider answers. */
  model: string;
  /**
   * Gives the model to call: the agent's own, or the one that `reference` names (`<provider>:<model id>`). Throws with a
   * clear message when it can never work (unknown provider, missing key).
   */
  resolveModel(reference?: string): LanguageModelV3;
  /** An agent that lives elsewhere: it is asked in place of a model. */
  remote?: RemoteAgent;
  system_prompt?: string;
  tools: readonly Tool[];
  /** In order; the first that matches a call decides (`rules/permissions.ts`). */
  permissions: readonly PermissionRule[];
  /** Default `parallel_streaming`. */
  tool_execution_mode?: ExecutionMode;
  /** Model calls of one run before it ends `max_rounds_reached`. */
  max_rounds: number;
  /** In order; the first that holds after a step ends the run (`rules/stop-conditions.ts`). */
  stop_conditions: readonly StopCondition[];
  model_options: Readonly<ModelOptions>;
  /** For the model's provider package, by its namespace (`openai`, `anthropic`, `google`, a provider's name). */
  provider_options?: Readonly<Record<string, JsonObject>>;
  /** Retries of one step after a retryable provider error. Default 2. */
  max_retries?: number;
  /** Ids of the agents it may run as sub-agents (CONTRACT 5.5). */
  delegates: readonly string[];
  on_disconnect: OnDisconnect;
  /** Default: that of the surface. */
  on_busy?: OnBusy;
  /** Milliseconds after which a pending approval counts as denied. Default: never. */
  approval_expiry_ms?: number;
  /** Runs of this agent that may be running at once; others wait as `queued` (CONTRACT 1.16). Default: no bound. */
  max_concurrent?: number;
}>;

/** The agents of this process. Read at the moment of use: a configuration change is seen by the next effect. */
export interface AgentRegistry {
  get(id: string): Agent | undefined;
  /** Sorted by id. */
  list(): Agent[];
}

/** `suspended`: the tool asked a question; the answer is the result. */
export type ToolOutcome =
  | { outcome: 'succeeded'; result: JsonValue }
  | { outcome: 'failed'; error: string }
  | ({ outcome: 'suspended' } & Question)
  | { outcome: 'aborted' };
