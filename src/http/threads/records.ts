/** What clients see of threads, messages and mailbox entries (CONTRACT 2.1, 3.1, 4.1). */

import type { MessageRange, ThreadView } from '../../actors/engine.js';
import type { MailboxEntry, Message, ThreadStatus } from '../../actors/records.js';
import type { JsonObject } from '../../json.js';

export type ThreadProjection = {
  id: string;
  resource_id: string | null;
  parent_thread_id: string | null;
  status: ThreadStatus;
  active_run_id: string | null;
  generation: number;
  message_count: number;
  queued_count: number;
  title: string | null;
  metadata: JsonObject;
  created_at: number;
  updated_at: number;
};

export const toProjection = (thread: ThreadView): ThreadProjection => ({
  id: thread.thread_id,
  resource_id: thread.resource_id,
  parent_thread_id: thread.parent_thread_id,
  status: thread.status,
  active_run_id: thread.active_run_id,
  generation: thread.generation,
  message_count: thread.message_count,
  queued_count: thread.queued_count,
  title: thread.title,
  metadata: thread.metadata,
  created_at: thread.created_at,
  updated_at: thread.updated_at,
});

export type MessageRecord = Omit<Message, 'trace' | 'is_error'>;

export const toMessageRecord = (message: Message): MessageRecord => ({
  cursor: message.cursor,
  id: message.id,
  role: message.role,
  content: message.content,
  ...(message.tool_calls ? { tool_calls: message.tool_calls } : {}),
  ...(message.tool_call_id === undefined ? {} : { tool_call_id: message.tool_call_id }),
  ...(message.visibility ? { visibility: message.visibility } : {}),
  run_id: message.run_id,
  step: message.step,
  created_at: message.created_at,
});

export type EntryRecord = MailboxEntry & { mailbox_id: string };

/** @param visibility the messages shown of what the entry carries; undefined: all of them. */
export const toEntryRecord = (entry: MailboxEntry, visibility?: MessageRange['visibility']): EntryRecord => ({
  entry_id: entry.entry_id,
  thread_id: entry.thread_id,
  mailbox_id: entry.thread_id,
  run_id: entry.run_id,
  agent_id: entry.agent_id,
  origin: entry.origin,
  sender_id: entry.sender_id,
  priority: entry.priority,
  dedupe_key: entry.dedupe_key,
  generation: entry.generation,
  status: entry.status,
  available_at: entry.available_at,
  attempt_count: entry.attempt_count,
  last_error: entry.last_error,
  payload: {
    ...entry.payload,
    messages: entry.payload.messages.filter(
      (message) => visibility === undefined || (message.visibility ?? 'public') === visibility,
    ),
  },
  created_at: entry.created_at,
  updated_at: entry.updated_at,
});
