/** How the questions of tool calls are put to a chat client. Pure. */

import type { EventData } from '../../actors/events.js';
import type { SuspensionPart } from './chunks.js';

/**
 * The call's id. A call that asks again (an agent that hands the questions of its child run on) marks its further
 * approvals with their number, so that the answer to one is never taken for the answer to another.
 */
export const approvalId = (call_id: string, times: number): string => (times > 1 ? `${call_id}#${times}` : call_id);

/** The call that an approval id speaks of. */
export const callOfApproval = (approval_id: string): string => approval_id.replace(/#\d+$/, '');

/** What is asked, for a question that is neither an approval nor a tool of the client. */
export function questionPart(
  call: { id: string; name: string },
  { id, kind, message, response_schema }: EventData['tool_call_suspended']['suspension'],
): SuspensionPart | undefined {
  if (kind === 'approval' || kind === 'frontend') return undefined;
  const data = { toolCallId: call.id, toolName: call.name, kind, message };
  return {
    type: 'data-suspension',
    id,
    data: response_schema === undefined ? data : { ...data, responseSchema: response_schema },
  };
}
