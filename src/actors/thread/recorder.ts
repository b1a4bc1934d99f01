/**
 * Turns what machines emit into the run's log, the thread's messages and the run's record.
 *
 * Only here do events get their number, time and ids. The record is a projection of the log: whoever reads one can trust
 * the other. Everything goes into the draft, so it becomes true in the commit of the step that caused it, or never.
 */

import { createPatch } from 'rfc6902';
import { newId } from '../../new-id.js';
import { jsonText, type JsonObject, type JsonValue } from '../../json.js';
import { derivedId } from '../derived-id.js';
import { advance, type EventData, type EventType, type StoredEvent, type Suspension } from '../events.js';
import type { Emitted, EmittedMessage } from '../machines/emitted.js';
import type { Message, RunRecord } from '../records.js';
import { tellReceivers } from '../push/news.js';
import { freshHead, type LogHead } from './cells.js';
import type { Draft } from './draft.js';
import { putErrand } from './errand-rows.js';

/** Appends one finished event and moves the record along. */
export function appendEvent<T extends EventType>(draft: Draft, rno: number, type: T, data: EventData[T]): void {
  const head = draft.get(`l${rno}`) ?? freshHead;
  const stored = [type, 0, data] as unknown as StoredEvent;
  draft.append(rno, stored, { seq: head.seq + 1, enc: advance(head.enc, stored), partial: partialAfter(head, stored) });
  const record = draft.get(`r${rno}`)!;
  if (stored[0] === 'run_finish') leaveWord(draft, rno, stored[2]);
  const change = projection(stored, record);
  if (change) draft.set(`r${rno}`, { ...record, ...change, updated_at: draft.at });
  tellReceivers(draft, rno, stored, head.seq);
}

/** Records one emission of a run or of one of its calls. */
export function record(draft: Draft, rno: number, emitted: Emitted): void {
  switch (emitted.type) {
    case 'message':
      return recordAnswer(draft, rno, emitted);
    case 'handoff':
      return draft.set(`r${rno}`, { ...draft.get(`r${rno}`)!, agent_id: emitted.agent_id, updated_at: draft.at });
    case 'step_start':
      return appendEvent(draft, rno, 'step_start', { message_id: newId() });
    case 'inference_retry': {
      const { attempt, reason } = emitted;
      return appendEvent(draft, rno, 'inference_retry', { attempt, reason, messages_upto: draft.thread().next_cursor });
    }
    case 'state_snapshot':
      return tellState(draft, rno);
    case 'tool_call_done': {
      const { type: _, ...end } = emitted;
      const message_id = newId();
      appendMessage(draft, {
        id: message_id,
        role: 'tool',
        content: end.outcome === 'succeeded' ? jsonText(end.result) : end.error,
        tool_call_id: end.id,
        ...(end.outcome === 'succeeded' ? {} : { is_error: true }),
        ...place(draft, rno),
      });
      return appendEvent(draft, rno, 'tool_call_done', { ...end, message_id });
    }
    default: {
      const { type, ...data } = emitted;
      return appendEvent(draft, rno, type, data);
    }
  }
}

/**
 * Changes the thread's state and tells it, if it is a change: as a patch when the run's readers have been told what it is
 * a patch of, else whole, because whoever reads this run alone has nothing that a patch would fit.
 */
export function changeState(draft: Draft, rno: number, after: JsonObject): void {
  const before = draft.get('state') ?? {};
  const delta = createPatch(before, after) as unknown as JsonValue[];
  if (delta.length === 0) return;
  draft.set('state', after);
  const open = draft.get(`x${rno}`);
  if (!open?.state_told && Object.keys(before).length > 0) return tellState(draft, rno);
  draft.set(`x${rno}`, { ...open, state_told: true });
  appendEvent(draft, rno, 'state_delta', { delta });
}

function tellState(draft: Draft, rno: number): void {
  draft.set(`x${rno}`, { ...draft.get(`x${rno}`), state_told: true });
  appendEvent(draft, rno, 'state_snapshot', { snapshot: draft.get('state') ?? {} });
}

/** Adds a message to the end of the thread. */
export function appendMessage(draft: Draft, message: Omit<Message, 'cursor' | 'created_at'>): void {
  const { next_cursor, message_count } = draft.thread();
  draft.messages.push({ cursor: next_cursor, created_at: draft.at, ...message });
  draft.editThread({ next_cursor: next_cursor + 1, message_count: message_count + 1 });
}

/**
 * The run has ended: a thread that wants to know is told, and a task that the run leaves behind at a remote agent is
 * stopped. One that ended by itself is not there any more.
 */
function leaveWord(draft: Draft, rno: number, { termination, result }: EventData['run_finish']): void {
  const open = draft.get(`x${rno}`);
  if (!open) return;
  draft.set(`x${rno}`, undefined);
  if (open.remote && termination.code !== 'natural') putErrand(draft, { stop: open.remote });
  if (!open.notify) return;
  const { run_id, agent_id, thread_id } = draft.get(`r${rno}`)!;
  const said = result ? `It answered: ${result.response}` : (termination.detail ?? 'It gave no answer.');
  putErrand(draft, {
    start: {
      ...open.notify,
      run_id: derivedId(run_id, 'notification'),
      parent_run_id: run_id,
      parent_thread_id: thread_id,
      origin: 'internal',
      on_busy: 'enqueue',
      messages: [
        {
          role: 'user',
          visibility: 'internal',
          content: `The background run ${run_id} of agent ${agent_id} has ended (${termination.code}). ${said}`,
        },
      ],
    },
  });
}

/** The step's assistant message under the id that its events carry; an empty one says nothing and is left out. */
function recordAnswer(draft: Draft, rno: number, emitted: EmittedMessage): void {
  const head = draft.get(`l${rno}`)!;
  const content = emitted.partial ? head.partial : emitted.content;
  const tool_calls = emitted.partial ? [] : emitted.tool_calls;
  if (content === '' && tool_calls.length === 0) return;
  appendMessage(draft, {
    id: head.enc.message_id!,
    role: 'assistant',
    content,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
    ...(!emitted.partial && emitted.trace ? { trace: emitted.trace } : {}),
    ...place(draft, rno),
  });
}

const place = (draft: Draft, rno: number): Pick<Message, 'run_id' | 'step'> => ({
  run_id: draft.get(`r${rno}`)!.run_id,
  step: draft.get(`l${rno}`)?.enc.step ?? null,
});

function partialAfter(head: LogHead, [type, , data]: StoredEvent): string {
  if (type === 'text_delta') return head.partial + data.delta;
  return type === 'step_start' || type === 'inference_retry' ? '' : head.partial;
}

const asked = (pending: Suspension[]): string => pending.map((s) => `${s.name}: ${s.message}`).join('; ');

/** What an event changes in its run's record. */
function projection([type, , data]: StoredEvent, record: RunRecord): Partial<RunRecord> | undefined {
  switch (type) {
    case 'run_start':
    case 'run_resumed':
      return { status: 'running', termination_code: null, termination_detail: null };
    case 'run_waiting':
      return { status: 'waiting', termination_code: 'input_required', termination_detail: asked(data.pending) };
    case 'inference_complete':
      return {
        input_tokens: record.input_tokens + data.usage.input_tokens,
        output_tokens: record.output_tokens + data.usage.output_tokens,
      };
    case 'run_finish':
      return {
        status: 'done',
        termination_code: data.termination.code,
        termination_detail: data.termination.detail,
      };
    default:
      return undefined;
  }
}
