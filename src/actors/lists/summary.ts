/** One line of a list of conversations (CONTRACT 2.2). */

import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { ThreadSummary, ThreadView } from '../engine.js';
import type { Message } from '../records.js';

const PREVIEW = 200;
/** Messages looked at for one that is somebody's word. */
const LOOK_BACK = 64;

export async function summarise(store: Reads, tno: number, view: ThreadView): Promise<ThreadSummary> {
  return {
    id: view.thread_id,
    title: view.title,
    message_count: view.message_count,
    last_message: await lastWord(store, tno),
    updated_at: view.updated_at,
    created_at: view.created_at,
  };
}

/** The newest public message with a text that is not a tool's. */
async function lastWord(store: Reads, tno: number): Promise<ThreadSummary['last_message']> {
  for await (const [, value] of store.range({ ...keys.messagesOf(tno), reverse: true, limit: LOOK_BACK })) {
    const { role, content, visibility } = JSON.parse(value) as Message;
    if (visibility === undefined && role !== 'tool' && content !== '') return { role, content: preview(content) };
  }
  return null;
}

/** The first characters; none is cut in half. */
const preview = (text: string): string => [...text.slice(0, 2 * PREVIEW)].slice(0, PREVIEW).join('');
