/** Performs one tool call: finds the tool, runs it with the run's context, reports its progress to the run's readers. */

import { executeTool } from '../../agents/execution.js';
import type { AgentRegistry, Tool, ToolState } from '../../agents/types.js';
import type { EffectContext, Performer } from '../thread/effects.js';
import type { EffectAddress } from '../thread/inbox.js';
import type { CallOutcome, ExecuteInput } from '../machines/logics.js';
import type { RunRecord } from '../records.js';
import { isDelegation, performDelegation, type DelegationPort } from './delegation.js';

export type ExecuteDeps = {
  agents: AgentRegistry;
  runOf(path: string): RunRecord;
  delegation: DelegationPort;
  stateFor(address: EffectAddress): ToolState;
};

/** Performs `execute`. */
export const executePerformer = (deps: ExecuteDeps): Performer => ({
  async perform(input, context): Promise<CallOutcome> {
    const call = input as ExecuteInput;
    const run = deps.runOf(context.address.path);
    const { agent_id = run.agent_id } = call;
    const agent = deps.agents.get(agent_id);
    if (agent && isDelegation(agent, call.name)) return performDelegation(call, run, context, deps.delegation);
    const tool = agent?.tools.find((candidate) => candidate.name === call.name);
    if (!tool) return { outcome: 'failed', error: `the tool ${call.name} of agent ${agent_id} is gone` };
    return execute(tool, call, { ...run, agent_id }, context, deps.stateFor(context.address));
  },
  toFault: (error) => ({ message: error instanceof Error ? error.message : String(error) }),
});

function execute(
  tool: Tool,
  { call_id, arguments: args }: ExecuteInput,
  { run_id, thread_id, agent_id }: RunRecord,
  context: EffectContext,
  state: ToolState,
): Promise<CallOutcome> {
  const progress = (report: { progress: number; message?: string }) => tellProgress(context, call_id, report);
  return executeTool(tool, args, { signal: context.signal, run_id, thread_id, agent_id, call_id, progress, state });
}

/** The tool-progress activity of the interface. The newest report wins; a report of a stopped call goes nowhere. */
function tellProgress(context: EffectContext, call_id: string, report: { progress: number; message?: string }): void {
  const node = `tool_call:${call_id}`;
  const content = {
    type: 'tool-call-progress',
    schema: 'tool-call-progress.v1',
    node_id: node,
    status: 'running',
    progress: report.progress,
    ...(report.message === undefined ? {} : { message: report.message }),
  };
  void context.append(
    [['activity_snapshot', { message_id: node, activity_type: 'tool-call-progress', content, replace: true }]],
    node,
  );
}
