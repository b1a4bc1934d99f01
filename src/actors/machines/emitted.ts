/**
 * What the machines emit. Two families, told apart by `type`:
 *
 * - canonical events without their numbers: the recorder stamps `seq`, time and ids and appends them to the run's log;
 * - records: `message` becomes a row of the thread's history, `handoff` a change of the run's record. Never log events.
 *
 * Machines have no clock and make no ids, so the same events give the same emissions for ever.
 */

import type { ProviderTrace } from '../../agents/model-call.js';
import type { EventData, EventType } from '../events.js';
import type { ToolCall } from '../records.js';

/** Ids and cursors the recorder fills in. */
type Unstamped<T extends EventType> = T extends 'step_start' | 'state_snapshot'
  ? object
  : T extends 'inference_retry'
    ? Omit<EventData[T], 'messages_upto'>
    : T extends 'tool_call_done'
      ? DistributiveOmit<EventData[T], 'message_id'>
      : EventData[T];
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export type EmittedEvent = { [T in EventType]: { type: T } & Unstamped<T> }[EventType];

/** The step's assistant message. `partial`: the text is what has streamed so far (the step was cut off). */
export type EmittedMessage =
  | { type: 'message'; partial: false; content: string; tool_calls: ToolCall[]; trace?: ProviderTrace }
  | { type: 'message'; partial: true };

/** The run goes on as another agent; its record says so. */
export type EmittedHandoff = { type: 'handoff'; agent_id: string };

export type Emitted = EmittedEvent | EmittedMessage | EmittedHandoff;
