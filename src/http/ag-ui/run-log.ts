/**
 * What the log of an active run says about where the run stands: which calls have asked for something, and from which
 * event on a client that joins now has to be told. Folds over stored events; the log is read once, from its start.
 */

import type { Engine } from '../../actors/engine.js';
import type { EventType, StoredEvent, SuspensionKind } from '../../actors/events.js';
import { storedEvents } from '../stored-events.js';

/** A call that asked for something. */
export type Question = {
  call_id: string;
  /** What a client may name instead of the call. */
  suspension_id: string;
  kind: SuspensionKind;
  /** Sequence number of the event that asked: tells this question from a later one of the same call. */
  seq: number;
  /** Null while it is open; else the first event of what followed the answer. */
  answered: number | null;
};

/** The last question of each call of the run. */
export async function questionsOf(engine: Engine, run_id: string): Promise<Question[]> {
  const questions = new Map<string, Question>();
  let resumed: { seq: number; decisions: readonly string[] } | null = null;
  const reader = await engine.readEvents(run_id, -1);
  try {
    for await (const [seq, [type, , data]] of storedEvents(reader)) {
      if (type === 'tool_call_suspended') {
        const { id: suspension_id, kind } = data.suspension;
        questions.set(data.id, { call_id: data.id, suspension_id, kind, seq, answered: null });
      } else if (type === 'run_resumed') {
        resumed = { seq, decisions: data.decisions };
      } else if (type === 'tool_call_resumed') {
        answer(data.target_id, resumed?.decisions.includes(data.decision_id) ? resumed.seq : seq);
      } else if (type === 'tool_call_done') {
        answer(data.id, seq);
      }
    }
  } finally {
    reader.close();
  }
  return [...questions.values()];

  function answer(call_id: string, seq: number): void {
    const question = questions.get(call_id);
    if (question) question.answered ??= seq;
  }
}

/** Where a client joins a run, and what the log says from there on. */
export class JoinPoint {
  /** The first event to be told; everything before it is in the thread's messages. -1: the log is empty. */
  seq = -1;
  /** Ids of the messages that events from there on write. */
  readonly written = new Set<string>();
  /** The thread's state was changed after the point was found: it cannot be told as of there. */
  stateMoved = false;
  /** The run is over: there is nothing to join. */
  over = false;

  /**
   * Moves along with the log: to the step under way, the pause that holds, what followed the last one, or the last change
   * of the thread's state, which tools make between two steps when nothing is open.
   */
  see(seq: number, event: StoredEvent): void {
    const [type] = event;
    if (type === 'step_start' || type === 'run_waiting') this.#begin(seq);
    else if (type === 'run_start' || type === 'run_resumed' || isOfState(type)) this.#begin(seq + 1);
    else if (type === 'run_finish') this.over = true;
    this.#write(seq, event);
  }

  /** Stays where it is, and notes what the event writes. */
  note(seq: number, event: StoredEvent): void {
    if (isOfState(event[0])) this.stateMoved = true;
    this.#write(seq, event);
  }

  #begin(seq: number): void {
    this.seq = seq;
    this.written.clear();
  }

  #write(seq: number, [type, , data]: StoredEvent): void {
    if (seq < this.seq) return;
    if (type === 'step_start' || type === 'tool_call_done') this.written.add(data.message_id);
  }
}

const isOfState = (type: EventType): boolean => type === 'state_snapshot' || type === 'state_delta';
