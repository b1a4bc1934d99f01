/**
 * Canonical events as UI message chunks (protocols 7.3). Pure: a chunk of the log and the encoder state in front of it
 * give the same texts for every reader and from every point.
 *
 * One run is one assistant message, named by the message id of its first step. A step of a chat client is one model call
 * *and* its tools, so a canonical step is finished here only when the next one begins, the run pauses, or it ends.
 */

import {
  advance,
  type EncoderState,
  type EventData,
  type FinishReason,
  type StoredEvent,
  type TerminationCode,
} from '../../actors/events.js';
import type { ChunkEncoder, RunRef } from '../frames.js';
import { partId, type UiChunk } from './chunks.js';
import { approvalId, questionPart } from './questions.js';

/**
 * How pauses are shown, since a stream that goes through one must not show it and a stream that ends there must:
 * - `bridged`: not at all.
 * - `ending`: as the end of the response, when nothing follows it in its chunk.
 * - `split`: a pause ends a response and the resumption starts one anew, with the same message id.
 */
export type Pauses = 'bridged' | 'ending' | 'split';

export const uiEncoder = (pauses: Pauses): ChunkEncoder =>
  function* encode({ enc, events }, run, from) {
    let before = enc;
    for (const [i, event] of events.entries()) {
      const after = advance(before, event);
      const showsPause = pauses === 'split' || (pauses === 'ending' && i === events.length - 1);
      const place = { before, after, run, showsPause, showsResumption: pauses === 'split' };
      if (i >= from) yield chunksOf(event, place).map((chunk) => JSON.stringify(chunk));
      before = after;
    }
  };

type Place = {
  before: EncoderState;
  after: EncoderState;
  run: RunRef;
  showsPause: boolean;
  showsResumption: boolean;
};

/** What one event becomes. */
function chunksOf([type, , data]: StoredEvent, place: Place): UiChunk[] {
  const { before, after, run, showsPause, showsResumption } = place;
  switch (type) {
    case 'step_start':
      return [
        ...endOfStep(before),
        ...(before.turn_id === null ? [startChunk(after, run)] : []),
        { type: 'start-step' },
      ];
    case 'text_delta':
      return [...changeOfPart(before, after), { type: 'text-delta', id: openPart(after), delta: data.delta }];
    case 'reasoning_delta':
      return [...changeOfPart(before, after), { type: 'reasoning-delta', id: openPart(after), delta: data.delta }];
    case 'tool_call_start':
      return [...endOfPart(before), { type: 'tool-input-start', toolCallId: data.id, toolName: data.name }];
    case 'tool_call_delta':
      return [{ type: 'tool-input-delta', toolCallId: data.id, inputTextDelta: data.args_delta }];
    case 'tool_call_ready':
      return [...endOfPart(before), inputAvailable(data)];
    case 'inference_retry':
      return retry(data, before);
    case 'step_end':
      return [...endOfPart(before), ...closeCalls(before, 'was not called: the model was cut off')];
    case 'tool_call_suspended':
      return suspended(data, after);
    case 'tool_call_done':
      return [result(data, before)];
    case 'activity_snapshot': {
      const { message_id: messageId, activity_type: activityType, content, replace } = data;
      return [{ type: 'data-activity-snapshot', id: messageId, data: { messageId, activityType, content, replace } }];
    }
    case 'activity_delta': {
      const { message_id: messageId, activity_type: activityType, patch } = data;
      const delta = { messageId, activityType, patch };
      return [{ type: 'data-activity-delta', id: messageId, data: delta, transient: true }];
    }
    case 'run_waiting':
      return [...endOfStep(before), ...(showsPause ? [finish('tool-calls')] : [])];
    case 'run_resumed':
      return showsResumption && before.turn_id !== null ? [startChunk(before, run)] : [];
    case 'run_finish':
      return [...endOfStep(before), ...endOfRun(data.termination, before)];
    default:
      return [];
  }
}

/** The first chunk of a response. `turn_id` must be known. */
export const startChunk = ({ turn_id }: Pick<EncoderState, 'turn_id'>, { run_id, thread_id }: RunRef): UiChunk => ({
  type: 'start',
  messageId: turn_id!,
  messageMetadata: { runId: run_id, threadId: thread_id },
});

const finish = (finishReason: FinishReason): UiChunk => ({ type: 'finish', finishReason });

const openPart = ({ message_id, part }: EncoderState): string => partId(message_id, part);

const endOfPart = (s: EncoderState): UiChunk[] => (s.open === null ? [] : [{ type: `${s.open}-end`, id: openPart(s) }]);

const changeOfPart = (before: EncoderState, after: EncoderState): UiChunk[] =>
  before.open === after.open ? [] : [...endOfPart(before), startOfPart(after.open!, openPart(after))];

const startOfPart = (kind: 'text' | 'reasoning', id: string): UiChunk => ({
  type: `${kind}-start`,
  id,
  providerMetadata: { agentServer: { partId: id } },
});

/** The end of the step that has ended and was not told yet. */
const endOfStep = ({ ended }: EncoderState): UiChunk[] => (ended === null ? [] : [{ type: 'finish-step' }]);

const inputAvailable = ({ id, name, arguments: input }: EventData['tool_call_ready']): UiChunk => ({
  type: 'tool-input-available',
  toolCallId: id,
  toolName: name,
  input,
});

/** Calls of a model call that was not completed never have a result; no client should wait for one. */
const closeCalls = ({ made, calls }: EncoderState, errorText: string): UiChunk[] =>
  [...made, ...calls].map((toolCallId) => ({ type: 'tool-output-error', toolCallId, errorText }));

/**
 * The protocol cannot take anything back: what the void attempt has said is closed and named, and a new step begins. The
 * history of the thread never has it.
 */
function retry({ attempt, reason }: EventData['inference_retry'], before: EncoderState): UiChunk[] {
  const { message_id, part } = before;
  const ids = Array.from({ length: part }, (_, i) => partId(message_id, i + 1));
  const voidParts = Object.fromEntries(ids.map((id) => [id, true as const]));
  return [
    ...endOfPart(before),
    ...closeCalls(before, 'was not called: the model is asked again'),
    { type: 'finish-step' },
    // A map, because clients merge metadata and a list would take the place of the one before.
    { type: 'message-metadata', messageMetadata: { voidParts } },
    { type: 'data-inference-retry', data: { attempt, reason, voidParts: ids }, transient: true },
    { type: 'start-step' },
  ];
}

function suspended(data: EventData['tool_call_suspended'], after: EncoderState): UiChunk[] {
  const { id: toolCallId, suspension } = data;
  const times = after.asked.find(({ id }) => id === toolCallId)?.times ?? 1;
  if (suspension.kind === 'approval') {
    return [{ type: 'tool-approval-request', approvalId: approvalId(toolCallId, times), toolCallId }];
  }
  const question = questionPart(data, suspension, times);
  return [
    // A new question of a call that was asked before: its part must not stand there as answered, or clients that post
    // again as soon as all calls are answered would send the old answer to it.
    ...(times > 1 ? [inputAvailable(data)] : []),
    ...(question ? [question] : []),
  ];
}

/** Only an approval can be denied in this protocol; every other refusal is an error. */
function result(data: EventData['tool_call_done'], { asked }: EncoderState): UiChunk {
  const { id: toolCallId } = data;
  if (data.outcome === 'succeeded') return { type: 'tool-output-available', toolCallId, output: data.result };
  const wasApproval = asked.some(({ id, kind }) => id === toolCallId && kind === 'approval');
  if (data.outcome === 'denied' && wasApproval) return { type: 'tool-output-denied', toolCallId };
  return { type: 'tool-output-error', toolCallId, errorText: data.error };
}

const reasons: Readonly<Record<TerminationCode, FinishReason | 'abort'>> = {
  natural: 'stop',
  content_matched: 'stop',
  max_rounds_reached: 'length',
  timeout_reached: 'length',
  token_budget_exceeded: 'length',
  tool_called: 'tool-calls',
  loop_detected: 'other',
  error: 'error',
  consecutive_errors_exceeded: 'error',
  cancelled: 'abort',
  superseded: 'abort',
};

function endOfRun({ code, detail }: EventData['run_finish']['termination'], before: EncoderState): UiChunk[] {
  if (code === 'natural') return [finish(before.ended ?? 'stop')];
  const reason = reasons[code];
  if (reason === 'error') return [{ type: 'error', errorText: detail ?? 'the run failed' }, finish('error')];
  return [
    ...(before.turn_id === null ? [] : stopped(code, before)),
    reason === 'abort' ? { type: 'abort' } : finish(reason),
  ];
}

/**
 * What is told of a run that stopped before its answer was whole. One that stops behind a tool call leaves a message whose
 * last step has nothing but settled calls: clients that post again as soon as all calls are settled would start the next
 * run by themselves, for ever. An empty step behind it stops them; the metadata make them look at it.
 */
function stopped(termination: TerminationCode, { ended, made }: EncoderState): UiChunk[] {
  const why: UiChunk = { type: 'message-metadata', messageMetadata: { termination } };
  const behindCalls = ended === null || ended === 'tool-calls' || made.length > 0;
  return behindCalls ? [{ type: 'start-step' }, why, { type: 'finish-step' }] : [why];
}
