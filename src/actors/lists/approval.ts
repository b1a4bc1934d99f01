/** A pending tool call as a person sees it who is to decide it (CONTRACT 9.1). */

import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { Approval } from '../engine.js';
import { runOf } from '../thread/apply.js';
import type { ActorRow, RunRow } from '../thread/rows.js';
import type { ToolCallContext } from '../machines/tool-call.js';
import { isPending, type PendingCall } from './pending-calls.js';

/** Undefined when the call is not pending any more. */
export async function loadApproval(store: Reads, { tno, path, since }: PendingCall): Promise<Approval | undefined> {
  const [call, run] = await store.getMany([keys.actor(tno, path), keys.run(runOf(path))]);
  if (call === undefined || run === undefined) return undefined;
  const { value, context } = JSON.parse(call) as ActorRow;
  const { plan, suspension } = context as unknown as ToolCallContext;
  if (!isPending(value) || !suspension) return undefined;
  const { thread_id, run_id, agent_id } = JSON.parse(run) as RunRow;
  const { id, kind, message, response_schema } = suspension;
  return {
    thread_id,
    run_id,
    agent_id,
    tool_call_id: plan.id,
    name: plan.name,
    arguments: plan.arguments,
    suspension: { id, kind, message, ...(response_schema === undefined ? {} : { response_schema }) },
    since,
  };
}
