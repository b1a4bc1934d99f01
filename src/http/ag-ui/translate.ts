/**
 * One canonical event as the AG-UI events it becomes (CONTRACT-PROTOCOLS 6.5). Pure: a function of the event, of the
 * encoders' state before it, and of what the request has fixed.
 *
 * The client's verifier insists on brackets, the canonical log has none: text, reasoning and calls are opened by their
 * first event and closed by whatever ends them, the end of the step at the latest. Within a step all text is one message,
 * the stored one, which is opened again after an interruption; reasoning is not stored, so each stretch of it has an id
 * of its own.
 *
 * Nothing is said of suspensions and decisions where they happen: AG-UI tells of both at the end of a run, as interrupts.
 */

import type { EncoderState, EventData, StoredEvent, Suspension, TerminationCode } from '../../actors/events.js';
import type { Message } from '../../actors/records.js';
import type { AgUiFields, AgUiMessage, Interrupt } from './events.js';
import { jsonText } from '../../json.js';
import { resultText, toAgUiMessages } from './messages.js';
import { valueOf } from './content.js';

/** What the request has fixed for its stream. */
export type Face = {
  thread_id: string;
  /** The run id that the client is told: its own, which need not be the run's. */
  run_id: string;
  /** The client speaks AG-UI 1.0: fields that older ones do not know may be sent. */
  v1: boolean;
  given?: GivenResults;
};

/** What the tool messages that the client has sent itself say, by call id. */
export type GivenResults = ReadonlyMap<string, string>;

const PROTOCOL_VERSION = '1.0';

/** Gives the thread's messages in front of a cursor. */
export type StoredMessages = (upto: number) => readonly AgUiMessage[];

/** The AG-UI events for one event of the log. `before`: the encoders' state in front of it. */
export function translate(
  before: EncoderState,
  [type, , data]: StoredEvent,
  face: Face,
  stored: StoredMessages,
): AgUiFields[] {
  switch (type) {
    case 'run_start':
      return [started(face, data.parent_run_id)];
    case 'run_resumed':
      return [started(face, null)];
    case 'run_waiting':
      return [...closing(before), paused(data.pending, face)];
    case 'run_finish':
      return [...closing(before), ended(data, face)];
    case 'step_start':
      return [{ type: 'STEP_STARTED', stepName: stepName(before.step === null ? 0 : before.step + 1) }];
    case 'step_end':
      return [...closing(before), { type: 'STEP_FINISHED', stepName: stepName(before.step ?? 0) }];
    case 'text_delta':
      return text(before, data.delta);
    case 'reasoning_delta':
      return reasoning(before, data.delta);
    case 'tool_call_start':
      return [...closingPart(before), callStart(before, data)];
    case 'tool_call_delta':
      return data.args_delta === '' ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId: data.id, delta: data.args_delta }];
    case 'tool_call_ready':
      return [...closingPart(before), ...callReady(before, data)];
    case 'tool_call_done':
      return callDone(data, face);
    case 'activity_snapshot': {
      const { message_id, activity_type, content, replace } = data;
      return [{ type: 'ACTIVITY_SNAPSHOT', messageId: message_id, activityType: activity_type, content, replace }];
    }
    case 'activity_delta': {
      const { message_id, activity_type, patch } = data;
      return [{ type: 'ACTIVITY_DELTA', messageId: message_id, activityType: activity_type, patch }];
    }
    case 'state_snapshot':
      return [{ type: 'STATE_SNAPSHOT', snapshot: data.snapshot }];
    case 'state_delta':
      return [{ type: 'STATE_DELTA', delta: data.delta }];
    case 'messages_snapshot':
      return [{ type: 'MESSAGES_SNAPSHOT', messages: toAgUiMessages(data.messages as unknown as Message[]) }];
    // What was streamed of this step is void: the thread as it was before it takes its place.
    case 'inference_retry':
      return [...closing(before), { type: 'MESSAGES_SNAPSHOT', messages: stored(data.messages_upto) }];
    case 'inference_complete':
    case 'tool_call_suspended':
    case 'tool_call_resumed':
    case 'error':
      return [];
  }
}

export const started = ({ thread_id, run_id, v1 }: Face, parent_run_id: string | null): AgUiFields => ({
  type: 'RUN_STARTED',
  threadId: thread_id,
  runId: run_id,
  ...(parent_run_id === null ? {} : { parentRunId: parent_run_id }),
  ...(v1 ? { protocolVersion: PROTOCOL_VERSION } : {}),
});

/** Frontend calls alone are no interrupt: the client carries them out because they are its tools. */
function paused(pending: Suspension[], { thread_id: threadId, run_id: runId, v1 }: Face): AgUiFields {
  const interrupts = pending.filter(({ kind }) => kind !== 'frontend').map(interrupt);
  if (interrupts.length > 0)
    return { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'interrupt', interrupts } };
  if (!v1) return { type: 'RUN_FINISHED', threadId, runId };
  const pendingToolCallIds = pending.map(({ tool_call_id }) => tool_call_id);
  return { type: 'RUN_FINISHED', threadId, runId, outcome: { type: 'success', pendingToolCallIds } };
}

/** AG-UI has words for an approval and a question; a call in doubt is a reason of our own. */
const reasons = { approval: 'tool_call', input: 'input_required', in_doubt: 'agent-server:in_doubt' } as const;

const yesOrNo = { type: 'object', properties: { approved: { type: 'boolean' } }, required: ['approved'] };

function interrupt({ id, kind, message, tool_call_id, response_schema }: Suspension): Interrupt {
  const responseSchema = response_schema ?? (kind === 'approval' ? yesOrNo : undefined);
  return {
    id,
    reason: kind === 'frontend' ? reasons.approval : reasons[kind],
    message,
    toolCallId: tool_call_id,
    ...(responseSchema ? { responseSchema } : {}),
  };
}

/** How a run's end is told: what a person or a newer input stopped is no success, and no failure either. */
const endings: Record<TerminationCode, 'success' | 'cancelled' | 'error'> = {
  natural: 'success',
  max_rounds_reached: 'success',
  timeout_reached: 'success',
  token_budget_exceeded: 'success',
  tool_called: 'success',
  content_matched: 'success',
  loop_detected: 'success',
  cancelled: 'cancelled',
  superseded: 'cancelled',
  error: 'error',
  consecutive_errors_exceeded: 'error',
};

function ended({ termination, result, usage }: EventData['run_finish'], face: Face): AgUiFields {
  const { code, detail } = termination;
  const ending = endings[code];
  if (ending === 'error') return { type: 'RUN_ERROR', message: detail ?? 'the run failed', code };
  if (ending === 'cancelled' && !face.v1)
    return { type: 'RUN_ERROR', message: stopped(code, detail), code: 'CANCELLED' };
  const { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens } = usage;
  return {
    type: 'RUN_FINISHED',
    threadId: face.thread_id,
    runId: face.run_id,
    ...(result === null ? {} : { result }),
    outcome: { type: ending },
    ...(face.v1 ? { usage: [{ inputTokens, outputTokens, totalTokens }] } : {}),
  };
}

const stopped = (code: TerminationCode, detail: string | null): string =>
  detail === null ? `the run was ${code}` : `the run was ${code}: ${detail}`;

const stepName = (step: number): string => `step_${step}`;

/** The step's one text message; it has the id under which it is stored. */
const messageIdOf = ({ message_id }: EncoderState): string => message_id ?? '';
/** Stretch `part` of the step's reasoning. */
const reasoningId = (state: EncoderState, part = state.part): string => `${messageIdOf(state)}:${part}`;

function text(before: EncoderState, delta: string): AgUiFields[] {
  const messageId = messageIdOf(before);
  const opening: AgUiFields[] =
    before.open === 'text'
      ? []
      : [...closingPart(before), { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }];
  return delta === '' ? opening : [...opening, { type: 'TEXT_MESSAGE_CONTENT', messageId, delta }];
}

function reasoning(before: EncoderState, delta: string): AgUiFields[] {
  const goesOn = before.open === 'reasoning';
  const messageId = reasoningId(before, goesOn ? before.part : before.part + 1);
  const opening: AgUiFields[] = goesOn
    ? []
    : [
        ...closingPart(before),
        { type: 'REASONING_START', messageId },
        { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      ];
  return delta === '' ? opening : [...opening, { type: 'REASONING_MESSAGE_CONTENT', messageId, delta }];
}

const callStart = (before: EncoderState, { id, name }: { id: string; name: string }): AgUiFields => ({
  type: 'TOOL_CALL_START',
  toolCallId: id,
  toolCallName: name,
  ...(before.message_id === null ? {} : { parentMessageId: before.message_id }),
});

/** A call whose arguments did not stream is told whole. */
function callReady(before: EncoderState, call: EventData['tool_call_ready']): AgUiFields[] {
  const end: AgUiFields = { type: 'TOOL_CALL_END', toolCallId: call.id };
  if (before.calls.includes(call.id)) return [end];
  return [
    callStart(before, call),
    { type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: jsonText(call.arguments) || '{}' },
    end,
  ];
}

/** A result that is the client's own is not told to it again: it would stand there twice. */
function callDone(done: EventData['tool_call_done'], { given }: Face): AgUiFields[] {
  const content = resultText(done);
  const own = given?.get(done.id);
  if (own !== undefined && jsonText(valueOf(own)) === content) return [];
  return [{ type: 'TOOL_CALL_RESULT', messageId: done.message_id, toolCallId: done.id, content, role: 'tool' }];
}

function closingPart(before: EncoderState): AgUiFields[] {
  if (before.open === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId: messageIdOf(before) }];
  if (before.open !== 'reasoning') return [];
  const messageId = reasoningId(before);
  return [
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ];
}

/** Closes everything within the step that is open. */
const closing = (before: EncoderState): AgUiFields[] => [
  ...closingPart(before),
  ...before.calls.map((toolCallId): AgUiFields => ({ type: 'TOOL_CALL_END', toolCallId })),
];
