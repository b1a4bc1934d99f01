/**
 * Performs one inference for a run: reads the thread's history, asks the agent's model once, and plans the calls it made
 * against the agent's tools as they are now.
 */

import { infer } from '../../agents/inference.js';
import { permissionOf } from '../../agents/rules/permissions.js';
import type { Agent, AgentRegistry, Tool } from '../../agents/types.js';
import { InferenceError, type HistoryMessage, type InferenceOutcome } from '../../agents/model-call.js';
import type { JsonValue } from '../../json.js';
import type { RunOverrides } from '../engine.js';
import type { EffectContext, Performer } from '../thread/effects.js';
import type { CallGate, CallPlan, InferInput } from '../machines/logics.js';
import type { InferenceFault, InferenceResult } from '../machines/run.js';
import type { Message } from '../records.js';
import type { RemoteQuestion } from './ask-remote.js';
import { effectiveAgent } from './effective-agent.js';

export type InferDeps = {
  agents: AgentRegistry;
  /** The agent of the run at this path, and what its start overrides. */
  runOf(path: string): { agent_id: string; overrides: RunOverrides | undefined };
  /** The thread's messages, all of them, in order. */
  history(): Promise<readonly Message[]>;
  idle_timeout_ms: number;
  tool_timeout_ms: number;
  /** Asks an agent that lives elsewhere. */
  askRemote(question: RemoteQuestion, context: EffectContext): Promise<InferenceOutcome>;
};

/** Performs `infer`. */
export const inferPerformer = (deps: InferDeps): Performer => ({
  async perform(input, context): Promise<InferenceResult> {
    const { step } = input as InferInput;
    const { address, signal, append } = context;
    const { agent_id, overrides } = deps.runOf(address.path);
    const defined = deps.agents.get(agent_id);
    if (!defined) throw new InferenceError(`agent not found: ${agent_id}`, false);
    const agent = effectiveAgent(defined, overrides);
    const stored = [...(await deps.history())];
    if (agent.remote) {
      const question = { agent, step, history: stored, context: overrides?.context ?? [] };
      const outcome = await deps.askRemote(question, context);
      return { ...outcome, calls: planCalls(agent, step, outcome.calls, deps.tool_timeout_ms) };
    }
    const history: HistoryMessage[] = [...contextOf(overrides), ...stored];
    const used_call_ids = new Set(stored.flatMap((message) => message.tool_calls?.map((call) => call.id) ?? []));
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

/** Context is told in front of the history and never stored (CONTRACT 11). */
const contextOf = (overrides: RunOverrides | undefined): HistoryMessage[] =>
  (overrides?.context ?? []).map((content) => ({ role: 'system', content }));

/** What stands before each call, decided once, when the model has made it. */
const planCalls = (agent: Agent, step: number, calls: InferenceOutcome['calls'], tool_timeout_ms: number): CallPlan[] =>
  calls.map(({ id, name, arguments: args, in_doubt }, index) => {
    const tool = agent.tools.find((candidate) => candidate.name === name);
    return {
      key: `${step}.${index}`,
      id,
      name,
      agent_id: agent.id,
      arguments: args,
      effect: tool?.effect ?? 'once',
      timeout_ms: finite(tool?.timeout_ms ?? tool_timeout_ms),
      expiry_ms: agent.approval_expiry_ms ?? null,
      ...(in_doubt === undefined ? gate(agent, tool, name, args) : { gate: 'in_doubt', message: in_doubt }),
    };
  });

const finite = (ms: number): number | null => (Number.isFinite(ms) ? ms : null);

function gate(agent: Agent, tool: Tool | undefined, name: string, args: JsonValue): CallGate {
  if (!tool) return { gate: 'refused', outcome: 'failed', error: `unknown tool: ${name}` };
  const checked = check(tool, args);
  if (!checked.ok) return { gate: 'refused', outcome: 'failed', error: `invalid arguments: ${checked.error}` };
  const { action } = permissionOf(agent, tool, checked.value);
  if (action === 'deny') return { gate: 'refused', outcome: 'denied', error: `${name} is not allowed` };
  if (!tool.execute) return { gate: 'frontend', message: `${name} is carried out by the client` };
  if (action === 'ask') return { gate: 'approval', message: `approve ${name}?` };
  return { gate: 'open' };
}

/** A validator of a user's own may throw: that is a fault of this call, not of the answer it came with. */
function check(tool: Tool, args: JsonValue): ReturnType<Tool['validate']> {
  try {
    return tool.validate(args);
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}
