/** `threads interrupt|fork|delete`. Whoever confirms is told what goes with it: the run, the entries, the messages. */

import type { Client, Thread } from '../../client/index.js';
import type { ExitCode } from '../../client/exit-codes.js';
import { each } from '../../lists/each.js';
import { printOutcome } from '../../output/print.js';
import type { CommonOptions, Session } from '../../session/session.js';
import { counted, some } from '../../output/words.js';

const look = (client: Client, ids: readonly string[]): Promise<Thread[]> =>
  Promise.all(ids.map((id) => client.thread(id)));

const sum = (threads: readonly Thread[], of: (thread: Thread) => number): number =>
  threads.reduce((total, thread) => total + of(thread), 0);

/** `1 run is cancelled …` for all threads together. */
function consequences(threads: readonly Thread[]): string[] {
  const active = threads.flatMap(({ active_run_id }) => active_run_id ?? []);
  const queued = sum(threads, ({ queued_count }) => queued_count);
  return [
    ...(active.length > 0 ? [`cancels ${counted(active.length, 'active run')} (${some(active)})`] : []),
    ...(queued > 0 ? [`supersedes ${counted(queued, 'queued entry', 'queued entries')}`] : []),
  ];
}

export async function interrupt(session: Session, options: CommonOptions, ids: string[]): Promise<ExitCode> {
  const client = await session.client();
  const threads = await look(client, ids);
  const what = `interrupts ${counted(ids.length, 'thread')} (${some(ids)})`;
  await session.confirm([what, ...consequences(threads)].join(', '));
  return each(session, 'Interrupted', ids, async (id) => {
    const item = await client.interrupt(id, options);
    const run = item.cancelled_run_id === null ? 'nothing was running' : `run ${item.cancelled_run_id} is cancelled`;
    const queued = `${counted(item.superseded_pending_count, 'entry', 'entries')} superseded`;
    const sentence = `thread ${id} is interrupted: ${run}, ${queued}`;
    return { item, names: [id], sentence };
  });
}

export async function remove(session: Session, options: CommonOptions, ids: string[]): Promise<ExitCode> {
  const client = await session.client();
  const threads = await look(client, ids);
  const messages = counted(
    sum(threads, ({ message_count }) => message_count),
    'message',
  );
  const what = `deletes ${counted(ids.length, 'thread')} (${some(ids)}) with ${messages}`;
  await session.confirm([what, ...consequences(threads)].join(', '));
  return each(session, 'ThreadDeleted', ids, async (id) => {
    await client.deleteThread(id, options);
    return { item: { thread_id: id, deleted: true }, names: [id], sentence: `thread ${id} is deleted` };
  });
}

export async function fork(
  session: Session,
  options: CommonOptions & { after?: string; id?: string },
  thread: string,
): Promise<void> {
  const client = await session.client();
  const body = {
    ...(options.after === undefined ? {} : { after_message_id: options.after }),
    ...(options.id === undefined ? {} : { thread_id: options.id }),
  };
  const item = await client.fork(thread, body, options);
  const sentence = `thread ${item.id} has ${counted(item.message_count, 'message')} of ${thread}`;
  await printOutcome(session, { kind: 'Thread', item, names: [item.id], sentence });
}
