/** What is read of runs and threads: records, messages, state and logs. Nothing here changes anything. */

import { eventsExpired, runNotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import * as keys from '../store/keys.js';
import { hasLog } from '../store/log.js';
import type { EventReader, MessageRange, ThreadView } from './engine.js';
import { ordinalIn } from './entry-id.js';
import { LogReader } from './log/reader.js';
import { loadMessages, loadThreadView, type RunName } from './thread/rows.js';
import type { Runtime } from './host/runtime.js';
import type { PushConfig } from './push/types.js';
import { readConfigs } from './push/push.js';
import type { Message, RunRecord } from './records.js';

/** What `read` of the engine is asked for. */
export type ReadRef =
  | { kind: 'run'; run_id: string; body_hash?: string }
  | { kind: 'push'; run_id: string }
  | { kind: 'entry_run'; entry_id: string }
  | { kind: 'thread' | 'state'; thread_id: string }
  | ({ kind: 'messages'; thread_id: string } & MessageRange);

/** What is not there is undefined. */
export class Reading {
  constructor(private readonly runtime: Runtime) {}

  read(ref: ReadRef): Promise<unknown> {
    switch (ref.kind) {
      case 'run':
        return this.run(ref.run_id, ref.body_hash);
      case 'entry_run':
        return this.#entryRun(ref.entry_id);
      case 'push':
        return this.#push(ref.run_id);
      case 'messages':
        return this.messages(ref.thread_id, ref);
      case 'thread':
        return this.#thread(ref.thread_id);
      case 'state':
        return this.#state(ref.thread_id);
    }
  }

  /** A run's record as of the last commit; with a `body_hash` only if it is that of the run's start. */
  async run(run_id: string, body_hash?: string): Promise<RunRecord | undefined> {
    const found = await this.runtime.locate(run_id);
    if (!found || body_hash === undefined) return found?.record;
    const name = await this.#store.get(keys.runName(run_id));
    return name !== undefined && (JSON.parse(name) as RunName).hash === body_hash ? found.record : undefined;
  }

  async messages(thread_id: string, range?: MessageRange): Promise<Message[] | undefined> {
    const tno = await this.runtime.threadOrdinal(thread_id);
    return tno === undefined ? undefined : loadMessages(this.#store, tno, range);
  }

  /** A reader of the run's log behind event `after`, live where the run is. Throws `run_not_found`, `events_expired`. */
  async events(run_id: string, after: number): Promise<EventReader> {
    const found = await this.runtime.locate(run_id);
    if (!found) throw runNotFound(run_id);
    const { record, rno, tno } = found;
    const { feeds, threads } = this.runtime;
    const host = record.status === 'done' ? undefined : await threads.byOrdinal(tno);
    const feed = (host && feeds.of(rno, host)) ?? feeds.recent(rno)?.feed;
    if (!feed && record.status === 'done' && !(await hasLog(this.#store, rno))) throw eventsExpired();
    return new LogReader(record, rno, after, this.#store, feed);
  }

  get #store() {
    return this.runtime.parts.readStore;
  }

  /** An entry's id has the ordinal of its run. */
  async #entryRun(entry_id: string): Promise<RunRecord | undefined> {
    const rno = ordinalIn(entry_id);
    const row = rno === undefined ? undefined : await this.#store.get(keys.run(rno));
    const { run_id, source_mailbox_entry_id } = (row === undefined ? {} : JSON.parse(row)) as Partial<RunRecord>;
    return source_mailbox_entry_id === entry_id ? this.run(run_id!) : undefined;
  }

  async #push(run_id: string): Promise<PushConfig[] | undefined> {
    const found = await this.runtime.locate(run_id);
    return found && readConfigs(this.#store, found.rno);
  }

  async #thread(thread_id: string): Promise<ThreadView | undefined> {
    const tno = await this.runtime.threadOrdinal(thread_id);
    return tno === undefined ? undefined : loadThreadView(this.#store, tno);
  }

  async #state(thread_id: string): Promise<JsonObject | undefined> {
    const tno = await this.runtime.threadOrdinal(thread_id);
    if (tno === undefined) return undefined;
    const state = await this.#store.get(keys.state(tno));
    return state === undefined ? {} : (JSON.parse(state) as JsonObject);
  }
}
