/** Commands that concern a thread rather than one of its runs, each handed to its thread (CONTRACT 2.4 to 2.6, 4.5). */

import { AgentServerError, ErrorCode, hasCode, threadNotFound } from '../../errors.js';
import { derivedId } from '../derived-id.js';
import type { Answers, StartRequest, ThreadCommand } from '../engine.js';
import { noted, type Note } from '../audit/note.js';
import type { QueuedEntry, MessageRef } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import type { Runtime } from '../host/runtime.js';
import type { ThreadHost } from '../thread/thread-host.js';
import type { MailboxEntry } from '../records.js';
import { cancelEntry, editEntry, entryNotFound, loadEntries, publicEntry, wrongStatus } from './entries.js';
import { forkThread } from './fork.js';
import { editMetadata } from './metadata.js';
import { areNamed, caughtUp } from './messages.js';
import { removeThread } from './remove.js';
import type { Starter } from './starter.js';
import { interruptThread } from './stop.js';

type Of<T extends ThreadCommand['type']> = Extract<ThreadCommand, { type: T }>;

export class ThreadCommands {
  constructor(
    private readonly runtime: Runtime,
    private readonly starter: Starter,
  ) {}

  dispatch(command: ThreadCommand, note?: Note): Promise<unknown> {
    switch (command.type) {
      case 'interrupt':
        return this.#request(command.thread_id, note, (draft, { tno, nextToken: next }) =>
          interruptThread(draft, { tno, next }),
        );
      case 'edit_metadata':
        return this.#editMetadata(command, note);
      case 'delete_thread':
        return this.#delete(command, note);
      case 'fork_thread':
        return forkThread(this.runtime, command, note).then((thread) => ({ thread }));
      case 'cancel_entry':
        return this.#change(command, note, (draft, host) =>
          cancelEntry(draft, command.entry_id, { tno: host.tno, next: host.nextToken }),
        );
      case 'edit_entry':
        return caughtUp(() => this.#editEntry(command, note));
      case 'retry_entry':
        return this.#retry(command, note);
    }
  }

  async #editMetadata(
    { thread_id, patch }: Of<'edit_metadata'>,
    note: Note | undefined,
  ): Promise<Answers['edit_metadata']> {
    return { metadata: await this.#request(thread_id, note, (draft) => editMetadata(draft, patch)) };
  }

  async #delete({ thread_id }: Of<'delete_thread'>, note: Note | undefined): Promise<Answers['delete_thread']> {
    const deleted = await this.#find(thread_id, (host) =>
      host.request(
        noted(note, host, (draft) => {
          if (!draft.get('thread')) throw threadNotFound(thread_id);
          removeThread(draft, { tno: host.tno, next: host.nextToken });
          return () => true;
        }),
      ),
    ).catch((error: unknown) => {
      if (hasCode(error, ErrorCode.threadNotFound)) return false;
      throw error;
    });
    return { deleted: deleted ?? false };
  }

  async #editEntry(edit: Of<'edit_entry'>, note: Note | undefined): Promise<Answers['edit_entry']> {
    const seen = edit.messages && areNamed(edit.messages) ? await this.#read(edit.thread_id) : undefined;
    return this.#change(edit, note, (draft, { tno }) =>
      editEntry(draft, edit.entry_id, edit, { tno, known: seen?.messages ?? [], seen: seen?.next_cursor }),
    );
  }

  /** What a thread has, up to where. */
  async #read(thread_id: string): Promise<{ messages: readonly MessageRef[]; next_cursor: number } | undefined> {
    return this.#find(thread_id, async (host) => {
      const next_cursor = host.cells.get('thread')?.next_cursor ?? 0;
      return { messages: await this.runtime.history(host), next_cursor };
    });
  }

  /** A change of a queued entry. */
  async #change(
    { thread_id, entry_id }: { thread_id: string; entry_id: string },
    note: Note | undefined,
    change: (draft: Draft, host: ThreadHost) => MailboxEntry | undefined,
  ): Promise<{ entry: MailboxEntry }> {
    const entry = await this.#request(thread_id, note, (draft, host) => {
      const changed = change(draft, host);
      if (!changed) throw new NotQueued();
      return changed;
    }).catch((error: unknown) => {
      if (!(error instanceof NotQueued)) throw error;
    });
    if (entry) return { entry };
    throw wrongStatus(await this.#stored(thread_id, entry_id));
  }

  /** A new start of what a dead letter asked for, behind everything that waits already. */
  /** Once: the new run's id follows from the dead one's, so that two people who retry it do its work once. */
  async #retry({ thread_id, entry_id }: Of<'retry_entry'>, note: Note | undefined): Promise<Answers['retry_entry']> {
    const dead = await this.#stored(thread_id, entry_id);
    if (dead.status !== 'dead_letter') throw wrongStatus(dead);
    const { agent_id, run_id, priority, payload, overrides } = dead;
    const before = await this.runtime.locate(run_id);
    const retry_id = derivedId('retry', run_id);
    const start: StartRequest = {
      run_id: retry_id,
      agent_id,
      thread_id,
      parent_run_id: run_id,
      origin: before?.record.origin ?? 'user',
      on_busy: 'enqueue',
      priority,
      messages: payload.messages,
      ...(payload.state ? { state: payload.state } : {}),
      ...(before?.record.metadata ? { metadata: before.record.metadata } : {}),
      ...(overrides ? { overrides } : {}),
    };
    const { claimed } = await this.starter.claim(retry_id, '', true);
    if (!claimed)
      throw new AgentServerError(ErrorCode.conflict, `mailbox entry ${entry_id} was retried as run ${retry_id}`);
    const { run } = await this.starter.start(start, note);
    return { entry: publicEntry(await this.#stored(thread_id, run.source_mailbox_entry_id!)) };
  }

  /** An entry as it is stored. */
  async #stored(thread_id: string, entry_id: string): Promise<QueuedEntry> {
    const tno = await this.runtime.threadOrdinal(thread_id);
    if (tno === undefined) throw threadNotFound(thread_id);
    const entries = await loadEntries(this.runtime.parts.readStore, tno);
    const found = entries.find((entry) => entry.entry_id === entry_id);
    if (!found) throw entryNotFound(entry_id);
    return found;
  }

  /** Hands a change to a thread that is there. */
  async #request<T>(
    thread_id: string,
    note: Note | undefined,
    handle: (draft: Draft, host: ThreadHost) => T,
  ): Promise<T> {
    const found = await this.#find(thread_id, (host) =>
      host.request(
        noted(note, host, (draft) => {
          if (!draft.get('thread')) throw threadNotFound(thread_id);
          const answer = handle(draft, host);
          return () => ({ answer });
        }),
      ),
    );
    if (!found) throw threadNotFound(thread_id);
    return found.answer;
  }

  #find<T>(thread_id: string, work: (host: ThreadHost) => Promise<T>): Promise<T | undefined> {
    return this.runtime.withThread(({ threads }) => threads.byId(thread_id, { create: false }), work);
  }
}

/** Nothing was changed, and nothing is recorded as if it had been. */
class NotQueued extends AgentServerError {
  constructor() {
    super(ErrorCode.conflict, 'the entry is not queued');
  }
}
