/**
 * The answers a client has put into an assistant message (protocols 7.1). Pure.
 *
 * A chat client sends the whole message with every request, so most of what is found here was answered long ago or was
 * never a question: the engine ignores what is not pending. An answer to a tool part gets an id made of what it answers,
 * so that the same answer sent twice is one decision (CONTRACT 1.10), also when the call asks something else by then.
 */

import type { Decision } from '../../actors/records.js';
import type { JsonValue } from '../../json.js';
import { callOfApproval } from './questions.js';

export type Part = { type: string; [key: string]: unknown };

export type Answers = {
  decisions: Decision[];
  /** Targets of those in the last step of the message: what the client waits to see the results of. */
  latest: ReadonlySet<string>;
};

/** Names a decision by the call it is about. */
export type DecisionIds = (target_id: string) => string;

/** When the answers are read, unix milliseconds, and how those are named whose question is not known. */
export type Reading = { now: number; decisionId: DecisionIds };

/** @param message_id of the assistant message, if it has one. */
export function answersIn(
  parts: readonly Part[],
  message_id: string | undefined,
  { now, decisionId }: Reading,
): Answers {
  const lastStep = parts.findLastIndex((part) => part.type === 'step-start');
  const byTarget = new Map<string, Decision>();
  const latest = new Set<string>();
  for (const [i, part] of parts.entries()) {
    const answer = part.type === 'tool-approval-response' ? approvalResponse(part) : toolPart(part, parts);
    if (!answer || byTarget.has(answer.target_id)) continue;
    const { question, ...rest } = answer;
    const decision_id =
      question !== undefined && message_id !== undefined
        ? `${message_id}:${rest.target_id}:${question}`
        : decisionId(rest.target_id);
    byTarget.set(rest.target_id, { ...rest, decision_id, updated_at: now });
    if (i > lastStep) latest.add(rest.target_id);
  }
  return { decisions: [...byTarget.values()], latest };
}

/** `question`: which one of the call is answered, if the message says so. */
type Answer = Omit<Decision, 'decision_id' | 'updated_at'> & { question?: string };

/** The form of the interface document. No client library knows it as a part of a message. */
function approvalResponse({ approvalId, approved, reason }: Part): Answer | undefined {
  if (!isId(approvalId) || typeof approved !== 'boolean') return undefined;
  return approval(callOfApproval(approvalId), approved, reason);
}

function toolPart(part: Part, parts: readonly Part[]): Answer | undefined {
  if (part.type !== 'dynamic-tool' && !part.type.startsWith('tool-')) return undefined;
  const { state, toolCallId, output, errorText, preliminary } = part;
  if (!isId(toolCallId)) return undefined;
  const asked = isObject(part.approval) ? part.approval : undefined;
  switch (state) {
    case 'approval-responded':
      if (typeof asked?.approved !== 'boolean') return undefined;
      return { ...approval(toolCallId, asked.approved, asked.reason), question: `approval:${String(asked.id)}` };
    case 'output-available':
      if (preliminary === true) return undefined;
      // An output where an approval was asked for must not let the tool run unless it plainly says so.
      if (asked && asked.approved === undefined) {
        const granted = grants(output);
        const reason = granted ? undefined : asText(output);
        return { ...approval(toolCallId, granted, reason), question: `approval:${String(asked.id)}` };
      }
      return {
        target_id: toolCallId,
        action: 'resume',
        result: (output ?? null) as JsonValue,
        question: `result:${questionOf(toolCallId, parts)}`,
      };
    case 'output-error':
      return {
        target_id: toolCallId,
        action: 'cancel',
        result: null,
        ...(isText(errorText) ? { reason: errorText } : {}),
        question: `result:${questionOf(toolCallId, parts)}`,
      };
    default:
      return undefined;
  }
}

/** The last question of the call that was put as a part of its own (`questions.ts`), or none. */
function questionOf(call_id: string, parts: readonly Part[]): string {
  const asks = ({ type, data }: Part): boolean =>
    type === 'data-suspension' && isObject(data) && data.toolCallId === call_id;
  const id = parts.findLast(asks)?.id;
  return typeof id === 'string' ? id : '';
}

const approval = (target_id: string, approved: boolean, reason: unknown): Answer => ({
  target_id,
  action: approved ? 'resume' : 'cancel',
  result: { approved },
  ...(isText(reason) ? { reason } : {}),
});

const grants = (output: unknown): boolean =>
  output === true ||
  (isObject(output) && output.approved === true) ||
  (typeof output === 'string' && /^(yes|true|ok|approve|approved)[.!]?$/i.test(output.trim()));

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isId = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? null));
