/**
 * The canonical events of a run and how they are kept.
 *
 * A run's log is an append-only sequence of events with dense numbers from 0 (CONTRACT 1.5). It is stored and kept in
 * memory as chunks: the events of one run that became durable in one commit. Every protocol's frames are a pure
 * function of chunks, so a chunk carries, besides its events, the little state a protocol encoder needs to begin
 * there (`EncoderState`): resuming a stream is one seek, never a replay from 0.
 *
 * The stored form is replayed for ever: fields may be added, none renamed.
 */

import type { JsonObject, JsonValue } from '../json.js';

export type Usage = { input_tokens: number; output_tokens: number; total_tokens: number };

export type SuspensionKind = 'approval' | 'frontend' | 'input' | 'in_doubt';

/** What a run waits for. `id` is `fc_<tool call id>` (CONTRACT 5.2). */
export type Suspension = {
  id: string;
  tool_call_id: string;
  name: string;
  kind: SuspensionKind;
  message: string;
  response_schema?: JsonObject;
};

/** Why a run has ended (CONTRACT 1.4). */
export const terminationCodes = [
  'natural',
  'cancelled',
  'error',
  'max_rounds_reached',
  'timeout_reached',
  'token_budget_exceeded',
  'consecutive_errors_exceeded',
  'tool_called',
  'content_matched',
  'loop_detected',
  'superseded',
] as const;
export type TerminationCode = (typeof terminationCodes)[number];

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** `data` of each event type (CONTRACT 1.5). */
export type EventData = {
  run_start: { agent_id: string; parent_run_id: string | null; parent_thread_id: string | null; origin: string };
  step_start: { message_id: string };
  step_end: { finish_reason: FinishReason };
  text_delta: { delta: string };
  reasoning_delta: { delta: string };
  tool_call_start: { id: string; name: string };
  tool_call_delta: { id: string; args_delta: string };
  tool_call_ready: { id: string; name: string; arguments: JsonValue };
  inference_complete: { model: string; usage: Usage; duration_ms: number };
  inference_retry: { attempt: number; reason: string; messages_upto: number };
  tool_call_suspended: {
    id: string;
    name: string;
    arguments: JsonValue;
    suspension: Omit<Suspension, 'tool_call_id' | 'name'>;
  };
  tool_call_resumed: {
    target_id: string;
    decision_id: string;
    action: 'resume' | 'cancel';
    result: JsonValue;
    reason?: string;
  };
  tool_call_done:
    | { id: string; name: string; message_id: string; outcome: 'succeeded'; result: JsonValue }
    | { id: string; name: string; message_id: string; outcome: 'failed' | 'denied' | 'cancelled'; error: string };
  activity_snapshot: { message_id: string; activity_type: string; content: JsonObject; replace: boolean };
  activity_delta: { message_id: string; activity_type: string; patch: JsonValue };
  state_snapshot: { snapshot: JsonValue };
  state_delta: { delta: JsonValue };
  messages_snapshot: { messages: JsonValue };
  run_waiting: { pending: Suspension[] };
  run_resumed: { decisions: string[] };
  error: { message: string; code: string };
  run_finish: {
    termination: { code: TerminationCode; detail: string | null };
    result: { response: string } | null;
    usage: Usage;
  };
};

export type EventType = keyof EventData;

/** One event as clients see it. */
export type CanonicalEvent<T extends EventType = EventType> = {
  [K in T]: {
    type: K;
    run_id: string;
    thread_id: string;
    seq: number;
    timestamp_ms: number;
    step?: number;
    data: EventData[K];
  };
}[T];

/** `[type, milliseconds after the chunk's t0, data]`; the sequence number is the chunk's `n` plus the index. */
export type StoredEvent<T extends EventType = EventType> = { [K in T]: [type: K, dt: number, data: EventData[K]] }[T];

/** What an encoder must know to begin at a chunk. Deltas inside an open part never change it. */
export type EncoderState = {
  /** Number of the step under way or last ended, from 0; null before the first. */
  step: number | null;
  /** The message the step writes. */
  message_id: string | null;
  /** The message of the run's first step: the id of the run's one assistant message for chat clients. */
  turn_id: string | null;
  /** The step began and has not ended. */
  in_step: boolean;
  /** Parts opened so far in this step; names them (`<message_id>:<part>`). */
  part: number;
  /** The step has said something, in the attempt that holds. */
  said: boolean;
  /** The part that is open, if any. */
  open: 'text' | 'reasoning' | null;
  /** Ids of tool calls whose arguments are still streaming. */
  calls: string[];
  /** The run has resumed or is fresh (false) or stands at a pause (true). */
  paused: boolean;
  /** Why the last step ended, until the next one begins or the run pauses: a step of a chat client includes its tools. */
  ended: FinishReason | null;
  /**
   * Ids of tool calls whose arguments are whole, until the model call is complete: before that they may become void.
   * Behind a step that was cut off: the calls it has begun.
   */
  made: string[];
  /** Tool calls that were suspended, until they have their result: the last question and how many there were. */
  asked: Asked[];
};

export type Asked = { id: string; kind: SuspensionKind; times: number };

export type LogChunk = {
  /** Sequence number of the first event. */
  n: number;
  /** Unix milliseconds of the first event. */
  t0: number;
  /** State of the encoders before the first event. */
  enc: EncoderState;
  events: StoredEvent[];
};

/** The state in front of event 0. */
export const initialEncoderState: EncoderState = Object.freeze({
  step: null,
  message_id: null,
  turn_id: null,
  in_step: false,
  part: 0,
  said: false,
  open: null,
  calls: [],
  paused: false,
  ended: null,
  made: [],
  asked: [],
});

const part = (s: EncoderState, open: 'text' | 'reasoning'): EncoderState =>
  s.open === open ? s : { ...s, open, part: s.part + 1 };

const without = (ids: string[], id: string): string[] => (ids.includes(id) ? ids.filter((other) => other !== id) : ids);

/** The state after one event. Pure; returns the same object when the event changes nothing, as most deltas do. */
export function advance(s: EncoderState, [type, , data]: StoredEvent): EncoderState {
  switch (type) {
    case 'step_start':
      return {
        ...s,
        step: s.step === null ? 0 : s.step + 1,
        message_id: data.message_id,
        turn_id: s.turn_id ?? data.message_id,
        in_step: true,
        part: 0,
        said: false,
        open: null,
        calls: [],
        ended: null,
        made: [],
      };
    case 'text_delta':
      return s.open === 'text' && s.said ? s : { ...part(s, 'text'), said: true };
    case 'reasoning_delta':
      return part(s, 'reasoning');
    case 'tool_call_start':
      return { ...s, open: null, calls: [...s.calls, data.id] };
    case 'tool_call_ready':
      return { ...s, open: null, calls: without(s.calls, data.id), made: [...s.made, data.id] };
    case 'tool_call_suspended': {
      const times = (s.asked.find(({ id }) => id === data.id)?.times ?? 0) + 1;
      const others = s.asked.filter(({ id }) => id !== data.id);
      return { ...s, asked: [...others, { id: data.id, kind: data.suspension.kind, times }] };
    }
    case 'tool_call_done':
      return s.asked.some(({ id }) => id === data.id) ? { ...s, asked: s.asked.filter(({ id }) => id !== data.id) } : s;
    case 'inference_complete':
      return { ...s, made: [] };
    case 'inference_retry':
      // The part counter goes on: part ids of the void attempt are never used again.
      return { ...s, said: false, open: null, calls: [], made: [] };
    case 'step_end':
      return {
        ...s,
        in_step: false,
        open: null,
        calls: [],
        made: s.calls.length > 0 ? [...s.made, ...s.calls] : s.made,
        ended: data.finish_reason,
      };
    case 'run_waiting':
      return { ...s, paused: true, ended: null };
    case 'run_resumed':
      return { ...s, paused: false };
    case 'run_finish':
      return { ...s, in_step: false, open: null, calls: [] };
    default:
      return s;
  }
}

/** The events of a chunk from index `from` on, as clients see them; `step` is filled in by folding `enc` forward. */
export function* canonicalEvents(
  chunk: LogChunk,
  run: { run_id: string; thread_id: string },
  from = 0,
): Generator<CanonicalEvent> {
  let enc = chunk.enc;
  for (let i = 0; i < chunk.events.length; i++) {
    const stored = chunk.events[i]!;
    enc = advance(enc, stored);
    if (i < from) continue;
    const [type, dt, data] = stored;
    const head = { type, run_id: run.run_id, thread_id: run.thread_id, seq: chunk.n + i, timestamp_ms: chunk.t0 + dt };
    yield (enc.step === null ? { ...head, data } : { ...head, step: enc.step, data }) as CanonicalEvent;
  }
}
