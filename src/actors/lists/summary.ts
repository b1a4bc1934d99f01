/** The lines of a list of conversations (CONTRACT 2.2). */

import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { ThreadSummary, ThreadView } from '../engine.js';
import type { Message } from '../records.js';

const PREVIEW = 200;
/** Messages looked at for one that is somebody's word. */
const LOOK_BACK = 64;

type Thread = { tno: number; view: ThreadView };
type Word = NonNullable<ThreadSummary['last_message']>;

/** The newest messages are read in one go, since most often they are the word wanted; only the others are searched for. */
export async function summarise(store: Reads, threads: readonly Thread[]): Promise<ThreadSummary[]> {
  const newest = await store.getMany(
    threads.map(({ tno, view }) => keys.message(tno, Math.max(view.next_cursor - 1, 0))),
  );
  return Promise.all(
    threads.map(async ({ tno, view }, i) => ({
      id: view.thread_id,
      title: view.title,
      message_count: view.message_count,
      last_message: wordIn(newest[i]) ?? (await lastWord(store, tno, view)),
      updated_at: view.updated_at,
      created_at: view.created_at,
    })),
  );
}

async function lastWord(store: Reads, tno: number, { next_cursor }: ThreadView): Promise<Word | null> {
  if (next_cursor === 0) return null;
  for await (const [, row] of store.range({ ...keys.messagesOf(tno), reverse: true, limit: LOOK_BACK })) {
    const word = wordIn(row);
    if (word) return word;
  }
  return null;
}

/** A public message with a text that is not a tool's. */
function wordIn(row: string | undefined): Word | null {
  if (row === undefined) return null;
  const { role, content, visibility } = JSON.parse(row) as Message;
  return visibility === undefined && role !== 'tool' && content !== '' ? { role, content: preview(content) } : null;
}

/** The first characters; none is cut in half. */
const preview = (text: string): string => [...text.slice(0, 2 * PREVIEW)].slice(0, PREVIEW).join('');
