/**
 * Performs one inference for a run: reads the thread's history, asks the agent's model once, and plans the calls it made
 * against the agent's tools as they are now.
 */

import { infer } from '../../agents/inference.js';
import {
  InferenceError,
  type Agent,
  type AgentRegistry,
  type InferenceOutcome,
  type Tool,
} from '../../agents/types.js';
import type { JsonValue } from '../../json.js';
import type { Performer } from '../host/effects.js';
import type { CallGate, CallPlan, InferInput } from '../machines/logics.js';
import type { InferenceFault, InferenceResult } from '../machines/run.js';
import type { Message } from '../records.js';

export type InferDeps = {
  agents: AgentRegistry;
  /** The agent of the run at this path. */
  agentOf(path: string): string;
  /** The thread's messages, all of them, in order. */
  history(): Promise<readonly Message[]>;
  idle_timeout_ms: number;
  tool_timeout_ms: number;
};

/** Performs `infer`. */
export const inferPerformer = (deps: InferDeps): Performer => ({
  async perform(input, { address, signal, append }): Promise<InferenceResult> {
    const { step } = input as InferInput;
    const id = deps.agentOf(address.path);
    const agent = deps.agents.get(id);
    if (!agent) throw new InferenceError(`agent not found: ${id}`, false);
    const history = [...(await deps.history())];
    const used_call_ids = new Set(history.flatMap((message) => message.tool_calls?.map((call) => call.id) ?? []));
    const { idle_timeout_ms } = deps;
    const outcome = await infer({ agent, history, used_call_ids, idle_timeout_ms, signal, append });
    return { ...outcome, calls: planCalls(agent, step, outcome.calls, deps.tool_timeout_ms) };
  },
  toFault(error): InferenceFault {
    if (error instanceof InferenceError)
      return { message: error.message, retryable: error.retryable, retry_after_ms: error.retry_after_ms };
    return { message: error instanceof Error ? error.message : String(error), retryable: false, retry_after_ms: null };
  },
});

/** What stands before each call, decided once, when the model has made it. */
export const planCalls = (
  agent: Agent,
  step: number,
  calls: InferenceOutcome['calls'],
  tool_timeout_ms: number,
): CallPlan[] =>
  calls.map(({ id, name, arguments: args }, index) => {
    const tool = agent.tools.find((candidate) => candidate.name === name);
    return {
      key: `${step}.${index}`,
      id,
      name,
      arguments: args,
      effect: tool?.effect ?? 'once',
      timeout_ms: tool?.timeout_ms ?? tool_timeout_ms,
      ...gate(tool, name, args),
    };
  });

function gate(tool: Tool | undefined, name: string, args: JsonValue): CallGate {
  if (!tool) return { gate: 'refused', outcome: 'failed', error: `unknown tool: ${name}` };
  const checked = tool.validate(args);
  if (!checked.ok) return { gate: 'refused', outcome: 'failed', error: `invalid arguments: ${checked.error}` };
  if (tool.permission === 'deny') return { gate: 'refused', outcome: 'denied', error: `${name} is not allowed` };
  if (!tool.execute) return { gate: 'frontend', message: `${name} is carried out by the client` };
  if (tool.permission === 'ask') return { gate: 'approval', message: `approve ${name}?` };
  return { gate: 'open' };
}
