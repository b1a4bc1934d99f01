/**
 * Canonical events as events of the protocol (CONTRACT-PROTOCOLS 8.3). Pure.
 *
 * What the agent says is an artifact per message: the first piece begins it, the others are appended, an empty last one
 * closes it. Text that became void is replaced by none. What it thinks and which tools it calls stays inside; progress
 * and questions are messages of the status. The pause is INPUT_REQUIRED with what is asked; the question of each call
 * comes in front of it, with the call's arguments.
 */

import { TaskState, type Artifact, type Message, type StreamResponse } from '@a2a-js/sdk';
import { advance, type EncoderState, type LogChunk, type StoredEvent } from '../../../actors/events.js';
import type { JsonObject } from '../../../json.js';
import { agentSays, dataPart, textPart, type TaskRef } from './messages.js';
import { askingMessage, pendingQuestion, questionOf } from './questions.js';
import { stateOfEnd, type End } from './states.js';

/** The events of the protocol for each event of a chunk from index `from` on. */
export function* protocolEvents(chunk: LogChunk, task: TaskRef, from: number): Generator<StreamResponse[]> {
  let enc = chunk.enc;
  for (const [i, event] of chunk.events.entries()) {
    if (i >= from) yield translate(event, { task, seq: chunk.n + i, at: chunk.t0 + event[1], enc });
    enc = advance(enc, event);
  }
}

/** Where an event stands: its number, its time, and the state in front of it. */
type Place = { task: TaskRef; seq: number; at: number; enc: EncoderState };

function translate([type, , data]: StoredEvent, place: Place): StreamResponse[] {
  const { task, seq, enc } = place;
  const messageId = `${task.run_id}/${seq}`;
  const working = (message?: Message): StreamResponse[] => [status(place, TaskState.TASK_STATE_WORKING, message)];
  switch (type) {
    case 'run_start':
    case 'run_resumed':
      return working();
    case 'text_delta':
      return [artifact(place, data.delta, { append: enc.said })];
    case 'step_end':
      return enc.said ? [artifact(place, '', { append: true, lastChunk: true })] : [];
    case 'inference_retry':
      return enc.said ? [artifact(place, '', { append: false })] : [];
    case 'activity_snapshot': {
      const { message } = data.content;
      const words = typeof message === 'string' && message !== '' ? [textPart(message)] : [];
      return working(agentSays(messageId, task, [...words, dataPart(data.content)]));
    }
    case 'tool_call_suspended':
      return working(askingMessage(messageId, task, [questionOf(data)]));
    case 'run_waiting': {
      const asked = askingMessage(messageId, task, data.pending.map(pendingQuestion));
      return [status(place, TaskState.TASK_STATE_INPUT_REQUIRED, asked)];
    }
    case 'run_finish':
      return [status(place, stateOfEnd(data.termination), endMessage(task, data.termination), { usage: data.usage })];
    default:
      return [];
  }
}

/** Why a task ended that was not completed. The results of one that was are its artifacts. */
export function endMessage(task: TaskRef, { code, detail }: End): Message | undefined {
  if (stateOfEnd({ code, detail }) === TaskState.TASK_STATE_COMPLETED) return undefined;
  return agentSays(`${task.run_id}/end`, task, [textPart(detail ?? code.replaceAll('_', ' '))]);
}

/** `metadata`: what the protocol has no word for; the tokens of the task come with its end. */
const status = ({ task, at }: Place, state: TaskState, message?: Message, metadata?: JsonObject): StreamResponse => ({
  payload: {
    $case: 'statusUpdate',
    value: {
      taskId: task.run_id,
      contextId: task.thread_id,
      status: { state, message, timestamp: timestamp(at) },
      metadata,
    },
  },
});

/** Milliseconds as the protocol writes a time. */
export const timestamp = (at: number): string => new Date(at).toISOString();

type Piece = { append: boolean; lastChunk?: boolean };

const artifact = ({ task, enc }: Place, text: string, { append, lastChunk = false }: Piece): StreamResponse => ({
  payload: {
    $case: 'artifactUpdate',
    value: {
      taskId: task.run_id,
      contextId: task.thread_id,
      artifact: answerArtifact(enc.message_id ?? task.run_id, text),
      append,
      lastChunk,
      metadata: undefined,
    },
  },
});

/** What the agent has said in one message. */
export const answerArtifact = (artifactId: string, text: string): Artifact => ({
  artifactId,
  name: 'answer',
  description: '',
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
});
