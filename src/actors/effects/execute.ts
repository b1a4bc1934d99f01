/** Performs one tool call: finds the tool, runs it with the run's context, reports its progress to the run's readers. */

import { executeTool } from '../../agents/execution.js';
import type { AgentRegistry, ToolOutcome } from '../../agents/types.js';
import type { EffectContext, Performer } from '../host/effects.js';
import type { ExecuteInput } from '../machines/logics.js';
import type { RunRecord } from '../records.js';

export type ExecuteDeps = { agents: AgentRegistry; runOf(path: string): RunRecord };

/** Performs `execute`. */
export const executePerformer = (deps: ExecuteDeps): Performer => ({
  async perform(input, context): Promise<ToolOutcome> {
    const { call_id, name, arguments: args } = input as ExecuteInput;
    const { run_id, thread_id, agent_id } = deps.runOf(context.address.path);
    const tool = deps.agents.get(agent_id)?.tools.find((candidate) => candidate.name === name);
    if (!tool) return { outcome: 'failed', error: `the tool ${name} of agent ${agent_id} is gone` };
    // The machine's own deadline bounds the call: only it knows what a late outcome means.
    const untimed = { ...tool, timeout_ms: Infinity };
    return executeTool(
      untimed,
      args,
      {
        signal: context.signal,
        run_id,
        thread_id,
        agent_id,
        call_id,
        progress: (report) => tellProgress(context, call_id, report),
      },
      { timeout_ms: Infinity },
    );
  },
  toFault: (error) => ({ message: error instanceof Error ? error.message : String(error) }),
});

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
