/**
 * A task as of one event of its log: what a stream begins with, so that what follows in the log is all that is left to be
 * told. Folds the events that are stored now; never waits.
 */

import { TaskState, type Message } from '@a2a-js/sdk';
import type { Engine } from '../../../actors/engine.js';
import type { StoredEvent } from '../../../actors/events.js';
import type { RunRecord } from '../../../actors/records.js';
import { endMessage, timestamp } from './events.js';
import { askingMessage, questionOf, type Question } from './questions.js';
import { stateOfEnd } from './states.js';

export type Status = { state: TaskState; message: Message | undefined; timestamp: string };

/** What was said in one message of the agent. */
export type Said = { message_id: string; text: string; /** Its step has ended. */ whole: boolean };

/** The fold of a task's log. */
export class Snapshot {
  /** The last event that is in it; -1: the log is empty, the task's turn has not come. */
  seq = -1;
  status: Status;
  readonly said: Said[] = [];
  /** Open questions, by call. */
  readonly asked = new Map<string, Question>();
  /** The decisions that the task has taken: which calls they decided, by their ids. */
  readonly decided = new Map<string, string>();
  /** The status in front of the last event, if that one ends a stream: a pause or the end. */
  #before: Status | null = null;
  /** The step under way. */
  #step: Said | null = null;

  constructor(private readonly run: RunRecord) {
    this.status = {
      state: TaskState.TASK_STATE_SUBMITTED,
      message: undefined,
      timestamp: timestamp(run.created_at),
    };
  }

  see(seq: number, event: StoredEvent, at: number): void {
    const before = this.status;
    this.seq = seq;
    this.#before = null;
    const [type, , data] = event;
    switch (type) {
      case 'run_start':
      case 'run_resumed':
        return this.#enter(TaskState.TASK_STATE_WORKING, at);
      case 'step_start':
        this.#step = { message_id: data.message_id, text: '', whole: false };
        return;
      case 'text_delta':
        return this.#say(data.delta);
      case 'step_end':
        if (this.#step) this.#step.whole = true;
        return;
      case 'inference_retry':
        if (this.#step) this.#step.text = '';
        return;
      case 'tool_call_suspended':
        return void this.asked.set(data.id, questionOf(data));
      case 'tool_call_resumed':
        this.decided.set(data.decision_id, data.target_id);
        return void this.asked.delete(data.target_id);
      case 'tool_call_done':
        return void this.asked.delete(data.id);
      case 'run_waiting': {
        this.#before = before;
        const asked = data.pending.flatMap(({ tool_call_id }) => this.asked.get(tool_call_id) ?? []);
        return this.#enter(TaskState.TASK_STATE_INPUT_REQUIRED, at, askingMessage(this.#id, this.run, asked));
      }
      case 'run_finish':
        this.#before = before;
        return this.#enter(stateOfEnd(data.termination), at, endMessage(this.run, data.termination));
    }
  }

  /** Takes back the pause or the end that the log stands at, so that a stream begins in front of it. */
  beforeItsEnd(): this {
    if (!this.#before) return this;
    this.status = this.#before;
    this.#before = null;
    this.seq--;
    return this;
  }

  get #id(): string {
    return `${this.run.run_id}/${this.seq}`;
  }

  #enter(state: TaskState, at: number, message?: Message): void {
    this.status = { state, message, timestamp: timestamp(at) };
  }

  #say(delta: string): void {
    if (!this.#step) return;
    if (this.said.at(-1) !== this.#step) this.said.push(this.#step);
    this.#step.text += delta;
  }
}

/** The task as of the last event of its log. Throws `run_not_found`, `events_expired`. */
export async function snapshotOf(engine: Engine, run_id: string): Promise<Snapshot> {
  const reader = await engine.readEvents(run_id, -1);
  try {
    const snapshot = new Snapshot(reader.run);
    while (!reader.caughtUp) {
      const slice = await reader.next();
      if (!slice) break;
      const { chunk, from } = slice;
      for (let i = from; i < chunk.events.length; i++) {
        const event = chunk.events[i]!;
        snapshot.see(chunk.n + i, event, chunk.t0 + event[1]);
      }
    }
    return snapshot;
  } finally {
    reader.close();
  }
}
