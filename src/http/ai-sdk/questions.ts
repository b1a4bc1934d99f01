/**
 * How the questions of tool calls are put to a chat client. Pure.
 *
 * A call that asks again (in doubt once more, or an agent that hands the questions of its child run on) marks its further
 * questions with their number, so that the answer to one is never taken for the answer to another.
 */

import type { EventData } from '../../actors/events.js';
import { DELEGATION_TOOLS } from '../../agents/stray-names.js';
import type { SuspensionPart } from './chunks.js';

const numbered = (id: string, times: number): string => (times > 1 ? `${id}#${times}` : id);

/** The call's id, if this is its first question. */
export const approvalId = (call_id: string, times: number): string => numbered(call_id, times);

/** The call that an approval id speaks of. */
export const callOfApproval = (approval_id: string): string => approval_id.replace(/#\d+$/, '');

/**
 * What is asked, when the call itself does not say it: not for an approval, nor for a tool of the client, unless it is the
 * tool of a client of a child run. `times`: how many questions the call has asked by now.
 */
export function questionPart(
  call: { id: string; name: string },
  { id, kind, message, response_schema }: EventData['tool_call_suspended']['suspension'],
  times: number,
): SuspensionPart | undefined {
  if (kind === 'approval' || (kind === 'frontend' && !DELEGATION_TOOLS.includes(call.name))) return undefined;
  const data = { toolCallId: call.id, toolName: call.name, kind, message };
  return {
    type: 'data-suspension',
    id: numbered(id, times),
    data: response_schema === undefined ? data : { ...data, responseSchema: response_schema },
  };
}
