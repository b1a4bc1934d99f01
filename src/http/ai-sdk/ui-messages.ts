/**
 * A thread's messages as UI messages (protocols 7.5). Pure.
 *
 * Callers may rely on: what comes out passes `safeValidateUIMessages`; ids are those with which the messages were
 * streamed; the steps of one run are one assistant message, with its tool calls in the states they are in for a client
 * that has read the stream to its end.
 */

import type { Message, ToolCall } from '../../actors/records.js';
import type { JsonValue } from '../../json.js';
import type { SuspensionPart } from './chunks.js';
import { approvalId, questionPart } from './questions.js';
import type { CallState, CallStates } from './run-log.js';

type Approval<A> = { id: string; approved: A; reason?: string };

export type ToolState =
  | { state: 'input-available' }
  | { state: 'approval-requested'; approval: { id: string } }
  | { state: 'approval-responded'; approval: Approval<boolean> }
  | { state: 'output-available'; output: JsonValue }
  | { state: 'output-error'; errorText: string }
  | { state: 'output-denied'; approval: Approval<false> };

export type ToolPart = { type: `tool-${string}`; toolCallId: string; input: JsonValue } & ToolState;

export type UiPart =
  { type: 'text'; text: string; state?: 'done' } | { type: 'step-start' } | ToolPart | SuspensionPart;

export type UiMessage = {
  id: string;
  role: 'system' | 'user' | 'assistant';
  metadata?: { runId: string; threadId: string };
  parts: UiPart[];
};

/** The messages that are one for a client: one alone, or the steps and results of a run in order. */
export type Turn = readonly Message[];

/** The message belongs to the turn that began in front of it. */
export const isContinuation = ({ role, step }: Message): boolean =>
  role === 'tool' || (role === 'assistant' && step !== null && step > 0);

/**
 * The states of the turn's calls are not in its messages: a call has no result yet, or was refused in one way or another.
 * Then the run's log has to be asked.
 */
export function needsLog(turn: Turn): boolean {
  const results = new Set(turn.map(({ tool_call_id }) => tool_call_id));
  return turn.some(
    ({ is_error, tool_calls = [] }) => is_error === true || tool_calls.some((call) => !results.has(call.id)),
  );
}

/** @param calls what the run's log says; empty when it was not asked or is gone. */
export function uiMessageOf(turn: Turn, thread_id: string, calls: CallStates): UiMessage {
  const { id, role, content, run_id } = turn[0]!;
  if (role === 'user' || role === 'system') return { id, role, parts: [{ type: 'text', text: content }] };
  const results = new Map<string, Message>();
  for (const message of turn) if (message.tool_call_id !== undefined) results.set(message.tool_call_id, message);
  const steps = turn.filter((message) => message.role === 'assistant');
  return {
    id,
    role: 'assistant',
    ...(run_id === null ? {} : { metadata: { runId: run_id, threadId: thread_id } }),
    parts: steps.flatMap((step) => stepParts(step, results, calls)),
  };
}

function stepParts({ content, tool_calls = [] }: Message, results: Map<string, Message>, calls: CallStates): UiPart[] {
  const parts: UiPart[] = [{ type: 'step-start' }];
  if (content !== '') parts.push({ type: 'text', text: content, state: 'done' });
  for (const call of tool_calls) {
    const result = results.get(call.id);
    const state = calls.get(call.id);
    parts.push({
      type: `tool-${call.name}`,
      toolCallId: call.id,
      input: call.arguments,
      ...stateOf(call, result, state),
    });
    const question = result ? undefined : state?.question && questionPart(call, state.question, state.times);
    if (question) parts.push(question);
  }
  return parts;
}

function stateOf({ id }: ToolCall, result: Message | undefined, call: CallState | undefined): ToolState {
  const approval = call?.question?.kind === 'approval' ? { id: approvalId(id, call.times) } : undefined;
  const reason = call?.answer?.reason;
  const answered = reason === undefined ? {} : { reason };
  if (!result) {
    if (!approval) return { state: 'input-available' };
    if (!call?.answer) return { state: 'approval-requested', approval };
    return { state: 'approval-responded', approval: { ...approval, approved: !call.answer.denied, ...answered } };
  }
  if (!result.is_error) return { state: 'output-available', output: valueOf(result.content) };
  if (!approval || call?.outcome !== 'denied') return { state: 'output-error', errorText: result.content };
  return { state: 'output-denied', approval: { ...approval, approved: false, ...answered } };
}

/** A result is stored as text: JSON text unless it was a string. */
function valueOf(content: string): JsonValue {
  try {
    const value = JSON.parse(content) as JsonValue;
    return typeof value === 'string' ? content : value;
  } catch {
    return content;
  }
}
