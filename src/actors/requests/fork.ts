/**
 * A fork: another thread that begins as a copy of this one (CONTRACT 2.6).
 *
 * The messages up to a point are copied with their ids, and the state as the last whole run left it. Without a point the
 * copy ends where that run ended: a run under way is not part of it. A point between a tool call and its result is
 * refused, because no model could go on from there.
 *
 * The thread's record is written last, so nobody ever sees half a copy. A long one is written in pieces under a row that
 * marks them for removal until the record is there; what a crash leaves behind is removed at the next start.
 */

import { AgentServerError, badRequest, ErrorCode, storageUnavailable, threadNotFound } from '../../errors.js';
import type { JsonObject } from '../../json.js';
import { newId } from '../../new-id.js';
import * as keys from '../../store/keys.js';
import type { Op } from '../../store/port.js';
import type { Note } from '../audit/note.js';
import type { ThreadCommand, ThreadView } from '../engine.js';
import { newThread, type ThreadCell } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import { delRow, loadMessages, putRow, threadRow, viewOf, type ThreadName } from '../thread/rows.js';
import type { Runtime } from '../host/runtime.js';
import type { Message } from '../records.js';
import { activeOf } from './supersede.js';

/** Rows written by one commit. */
const PIECE = 1000;

type Fork = Extract<ThreadCommand, { type: 'fork_thread' }>;
/** What is copied, as of one moment. `until`: cursor behind the last whole run. */
type Source = { tno: number; thread: ThreadCell; state: JsonObject | undefined; until: number };

/**
 * Throws `thread_not_found`, `conflict` when the new id is taken, `bad_request` for a point that is not there or is refused,
 * `storage_unavailable`.
 */
export async function forkThread(runtime: Runtime, fork: Fork, note?: Note): Promise<ThreadView> {
  const { thread_id, after_message_id, new_thread_id = newId() } = fork;
  const { journal, readStore, ordinals, clock } = runtime.parts;
  if (!journal.accepting()) throw storageUnavailable();
  const source = await sourceOf(runtime, thread_id);
  const stored = await loadMessages(
    readStore,
    source.tno,
    after_message_id === undefined ? { before: source.until } : {},
  );
  // Its messages may have been removed while they were read.
  if ((await runtime.threadOrdinal(thread_id)) !== source.tno) throw threadNotFound(thread_id);
  const messages = after_message_id === undefined ? stored : upTo(stored, after_message_id);
  assertWhole(messages);

  const at = clock.now();
  const thread = copyOf(source.thread, new_thread_id, messages.length, at);
  const host = await runtime.threads.establish(new_thread_id, async ({ value: tno, ops }) => {
    const noted = note?.row(at, {});
    const copies = messages.map((message, cursor) => putRow(keys.message(tno, cursor), { ...message, cursor }));
    await write(runtime, tno, ops, copies, [
      ...(source.state === undefined ? [] : [putRow(keys.state(tno), source.state)]),
      putRow(keys.threadName(new_thread_id), { tno } satisfies ThreadName),
      putRow(keys.thread(tno), threadRow(thread)),
      ...(noted ? [noted.op] : []),
    ]);
    noted?.landed();
    ordinals.thread.landed(tno);
    runtime.lists.added(tno, { ...thread, status: 'idle' });
  });
  if (!host) throw new AgentServerError(ErrorCode.conflict, `thread already exists: ${new_thread_id}`);
  return viewOf(threadRow(thread));
}

async function sourceOf(runtime: Runtime, thread_id: string): Promise<Source> {
  const source = await runtime.withThread(
    ({ threads }) => threads.byId(thread_id, { create: false }),
    (host) =>
      host.request((draft) => {
        if (!draft.get('thread')) throw threadNotFound(thread_id);
        const found = { tno: host.tno, thread: draft.thread(), ...lastWholeRun(draft) };
        return () => found;
      }),
  );
  if (!source) throw threadNotFound(thread_id);
  return source;
}

/** How the last run that has ended left the thread. */
function lastWholeRun(draft: Draft): Pick<Source, 'state' | 'until'> {
  const { undo, next_cursor } = draft.thread();
  return activeOf(draft) && undo
    ? { state: undo.state, until: undo.from }
    : { state: draft.get('state'), until: next_cursor };
}

function upTo(messages: Message[], message_id: string): Message[] {
  const at = messages.findIndex(({ id }) => id === message_id);
  if (at < 0) throw badRequest('after_message_id: the thread has no such message');
  return messages.slice(0, at + 1);
}

/** Throws `bad_request` when a tool call has no result among the messages. */
function assertWhole(messages: Message[]): void {
  const answered = new Set(messages.map(({ tool_call_id }) => tool_call_id));
  const open = messages.flatMap(({ tool_calls = [] }) => tool_calls).find(({ id }) => !answered.has(id));
  if (open) throw badRequest(`after_message_id: the call of ${open.name} has no result up to there`);
}

const copyOf = (source: ThreadCell, thread_id: string, messages: number, at: number): ThreadCell => ({
  ...newThread({ thread_id, resource_id: source.resource_id, parent_thread_id: null, at }),
  title: source.title,
  metadata: { ...source.metadata, forked_from: source.thread_id },
  next_cursor: messages,
  message_count: messages,
});

/** Writes the copies, in pieces when there are many, and in the last commit the rows that make a thread of them. */
async function write(runtime: Runtime, tno: number, first: Op[], copies: Op[], record: Op[]): Promise<void> {
  if (copies.length <= PIECE) return runtime.commit([...first, ...copies, ...record]);
  const grave = keys.grave(tno);
  await runtime.commit([...first, putRow(grave, {})]);
  try {
    for (let at = 0; at < copies.length; at += PIECE) await runtime.commit(copies.slice(at, at + PIECE));
    await runtime.commit([...record, delRow(grave)]);
  } catch (error) {
    runtime.abandon(tno);
    throw error;
  }
}
