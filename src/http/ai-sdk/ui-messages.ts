/**
 * A thread's messages as UI messages (protocols 7.5). Pure.
 *
 * Callers may rely on: what comes out passes `safeValidateUIMessages`; ids are those with which the messages were
 * streamed; the steps of one run are one assistant message, with its tool calls in the states a client would be in that
 * has read the stream to its end.
 */

import type { Message, ToolCall } from '../../actors/records.js';
import type { JsonValue } from '../../json.js';
import type { SuspensionPart } from './chunks.js';
import type { CallState } from './run-log.js';

export type ToolPart = { type: `tool-${string}`; toolCallId: string; input: JsonValue } & (
  | { state: 'input-available' }
  | { state: 'approval-requested'; approval: { id: string } }
  | { state: 'approval-responded'; approval: { id: string; approved: boolean; reason?: string } }
  | { state: 'output-available'; output: JsonValue }
  | { state: 'output-error'; errorText: string }
  | { state: 'output-denied'; approval: { id: string; approved: false; reason?: string } }
);

export type UiPart = { type: 'text'; text: string; state?: 'done' } | { type: 'step-start' } | ToolPart | SuspensionPart;

export type UiMessage = {
  id: string;
  role: 'system' | 'user' | 'assistant';
  metadata?: { runId: string; threadId: string };
  parts: UiPart[];
};

/** The messages that are one message for a client: one alone, or the steps and results of a run in order. */
export type Turn = readonly [Message, ...Message[]];

/** The message belongs to the turn that began in front of it. */
export const isContinuation = ({ role, step }: Message): boolean =>
  role === 'tool' || (role === 'assistant' && step !== null && step > 0);

export type CallStates = ReadonlyMap<string, CallState>;

/** @param calls what the run's log says of its calls; needed where the messages alone do not tell. */
export function uiMessageOf(turn: Turn, thread_id: string, calls: CallStates): UiMessage {
  const [first] = turn;
  if (first.role === 'user' || first.role === 'system') {
    return { id: first.id, role: first.role, parts: [{ type: 'text', text: first.content }] };
  }
  const results = new Map(turn.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])));
  return {
    id: first.id,
    role: 'assistant',
    ...(first.run_id === null ? {} : { metadata: { runId: first.run_id, threadId: thread_id } }),
    parts: turn.flatMap((message) => (message.role === 'assistant' ? stepOf(message, results, calls) : [])),
  };
}

function stepOf({ content, tool_calls = [] }: Message, results: Map<string, Message>, calls: CallStates): UiPart[] {
  return [
    { type: 'step-start' },
    ...(content === '' ? [] : [{ type: 'text', text: content, state: 'done' } as const]),
    ...tool_calls.flatMap((call) => callParts(call, results.get(call.id), calls.get(call.id))),
  ];
}

function callParts(call: ToolCall, result: Message | undefined, state: CallState | undefined): UiPart[] {
  const { id: toolCallId, name, arguments: input } = call;
  const part = { type: `tool-${name}` as const, toolCallId, input };
  if (!result) return [{ ...part, ...openState(toolCallId, state) }, ...questionParts(call, state)];
  if (!result.is_error) return [{ ...part, state: 'output-available', output: valueOf(result.content) }];
  if (state?.outcome === 'denied' && state.question?.kind === 'approval') {
    const { content: reason } = result;
    return [{ ...part, state: 'output-denied', approval: { id: approvalId(toolCallId, state), approved: false, reason } }];
  }
  return [{ ...part, state: 'output-error', errorText: result.content }];
}

type Open = Extract<ToolPart, { state: 'input-available' | 'approval-requested' | 'approval-responded' }>;

/** A call without a result: the run waits for an answer, or for other answers. */
function openState(call_id: string, state: CallState | undefined): Omit<Open, 'type' | 'toolCallId' | 'input'> & object {
  if (!state || state.question?.kind !== 'approval') return { state: 'input-available' } as const;
  const id = approvalId(call_id, state);
  if (!state.answer) return { state: 'approval-requested', approval: { id } } as const;
  const { denied, reason } = state.answer;
  const approval = { id, approved: !denied, ...(reason === undefined ? {} : { reason }) };
  return { state: 'approval-responded', approval } as const;
}
