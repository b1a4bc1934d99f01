/** Commands that concern a thread rather than one of its runs, each handed to its thread (CONTRACT 2.4, 2.6, 4.5). */

import { AgentServerError, ErrorCode, threadNotFound } from '../../errors.js';
import type { Answers, ThreadCommand } from '../engine.js';
import type { Draft } from '../host/draft.js';
import type { Runtime } from '../host/runtime.js';
import type { ThreadHost } from '../host/thread-host.js';
import type { MailboxEntry } from '../records.js';
import { cancelEntry, editEntry, entryNotFound, loadEntries, wrongStatus } from './entries.js';
import { forkThread } from './fork.js';
import { editMetadata } from './metadata.js';
import { removeThread } from './remove.js';
import type { Starter } from './starter.js';

type Of<T extends ThreadCommand['type']> = Extract<ThreadCommand, { type: T }>;

export class ThreadCommands {
  constructor(
    private readonly runtime: Runtime,
    private readonly starter: Starter,
  ) {}

  dispatch(command: ThreadCommand): Promise<unknown> {
    switch (command.type) {
      case 'edit_metadata':
        return this.#editMetadata(command);
      case 'delete_thread':
        return this.#delete(command);
      case 'fork_thread':
        return forkThread(this.runtime, command).then((thread) => ({ thread }));
      case 'cancel_entry':
        return this.#change(command, (draft, host) =>
          cancelEntry(draft, command.entry_id, { tno: host.tno, next: host.nextToken }),
        );
      case 'edit_entry':
        return this.#change(command, (draft, { tno }) => editEntry(draft, command.entry_id, command, { tno }));
      case 'retry_entry':
        return this.#retry(command);
    }
  }

  async #editMetadata({ thread_id, patch }: Of<'edit_metadata'>): Promise<Answers['edit_metadata']> {
    return { metadata: await this.#request(thread_id, (draft) => editMetadata(draft, patch)) };
  }

  async #delete({ thread_id }: Of<'delete_thread'>): Promise<Answers['delete_thread']> {
    const deleted = await this.#find(thread_id, (host) =>
      host.request((draft) => {
        if (!draft.get('thread')) throw threadNotFound(thread_id);
        removeThread(draft, { tno: host.tno, next: host.nextToken });
        return () => true;
      }),
    ).catch((error: unknown) => {
      if (error instanceof AgentServerError && error.code === ErrorCode.threadNotFound) return false;
      throw error;
    });
    return { deleted: deleted ?? false };
  }

  /** A change of a queued entry. */
  async #change(
    { thread_id, entry_id }: { thread_id: string; entry_id: string },
    change: (draft: Draft, host: ThreadHost) => MailboxEntry | undefined,
  ): Promise<{ entry: MailboxEntry }> {
    const entry = await this.#request(thread_id, change);
    if (entry) return { entry };
    throw wrongStatus(await this.#stored(thread_id, entry_id));
  }

  /** A new start of what a dead letter asked for, behind everything that waits already. */
  async #retry({ thread_id, entry_id }: Of<'retry_entry'>): Promise<Answers['retry_entry']> {
    const dead = await this.#stored(thread_id, entry_id);
    if (dead.status !== 'dead_letter') throw wrongStatus(dead);
    const { agent_id, run_id, priority, payload } = dead;
    const before = await this.runtime.locate(run_id);
    const { run } = await this.starter.start({
      agent_id,
      thread_id,
      parent_run_id: run_id,
      origin: before?.record.origin ?? 'user',
      on_busy: 'enqueue',
      priority,
      messages: payload.messages,
      ...(payload.state ? { state: payload.state } : {}),
      ...(before?.record.metadata ? { metadata: before.record.metadata } : {}),
    });
    return { entry: await this.#stored(thread_id, run.source_mailbox_entry_id!) };
  }

  /** An entry as it is stored. */
  async #stored(thread_id: string, entry_id: string): Promise<MailboxEntry> {
    const tno = await this.runtime.threadOrdinal(thread_id);
    if (tno === undefined) throw threadNotFound(thread_id);
    const entries = await loadEntries(this.runtime.parts.readStore, tno);
    const found = entries.find((entry) => entry.entry_id === entry_id);
    if (!found) throw entryNotFound(entry_id);
    return found;
  }

  /** Hands a change to a thread that is there. */
  async #request<T>(thread_id: string, handle: (draft: Draft, host: ThreadHost) => T): Promise<T> {
    const found = await this.#find(thread_id, (host) =>
      host.request((draft) => {
        if (!draft.get('thread')) throw threadNotFound(thread_id);
        const answer = handle(draft, host);
        return () => ({ answer });
      }),
    );
    if (!found) throw threadNotFound(thread_id);
    return found.answer;
  }

  #find<T>(thread_id: string, work: (host: ThreadHost) => Promise<T>): Promise<T | undefined> {
    return this.runtime.withThread(({ threads }) => threads.byId(thread_id, { create: false }), work);
  }
}
