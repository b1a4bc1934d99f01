/**
 * `GET /v1/ai-sdk/threads/:id/messages`: a page of a thread's history as UI messages, to begin a chat with (protocols
 * 7.5). `limit` counts UI messages; the rest of the query is that of CONTRACT 3.2.
 *
 * The message that is being streamed right now is left out: the client gets it whole from the stream it resumes.
 */

import { ErrorCode, hasCode } from '../../errors.js';
import type { Engine } from '../../actors/engine.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { messagesQuery } from '../messages-query.js';
import { parseQuery } from '../query.js';
import { threadIdOf } from './path.js';
import { callsOf, type CallStates } from './run-log.js';
import { turnsOf, type TurnRange } from './turns.js';
import { needsLog, uiMessageOf, type Turn, type UiMessage } from './ui-messages.js';

export type HistoryPage = {
  messages: UiMessage[];
  has_more: boolean;
  /** Cursors of the last and of the first message of the page, in its order; null on an empty page. */
  next_cursor: number | null;
  prev_cursor: number | null;
};

export function threadHistory({ engine: open }: Services): Handler {
  return async function getUiMessages(ctx) {
    const engine = open(ctx.state.principal);
    const thread_id = threadIdOf(ctx);
    // What is hidden from people is never shown in a chat; the words of the interface are accepted all the same.
    const { visibility: _, ...query } = parseQuery(messagesQuery, ctx);
    ctx.body = await settled(engine, thread_id, (streaming) => readPage(engine, thread_id, query, streaming));
  };
}

type Query = TurnRange & { limit: number; run_id?: string | undefined };

/** How often a page is read anew because its thread has gone on meanwhile. */
const ATTEMPTS = 3;

/** Reads with the run that streams at the time, so that no message is missing because its run ended in between. */
async function settled<T>(
  engine: Engine,
  thread_id: string,
  read: (streaming: string | null) => Promise<T>,
): Promise<T> {
  let streaming = await streamingRun(engine, thread_id);
  for (let attempt = 1; ; attempt++) {
    const result = await read(streaming);
    const now = await streamingRun(engine, thread_id);
    if (now === streaming || attempt === ATTEMPTS) return result;
    streaming = now;
  }
}

async function streamingRun(engine: Engine, thread_id: string): Promise<string | null> {
  const thread = await engine.read({ kind: 'thread', thread_id });
  return thread?.status === 'running' ? thread.active_run_id : null;
}

async function readPage(
  engine: Engine,
  thread_id: string,
  { limit, run_id, ...range }: Query,
  streaming: string | null,
): Promise<HistoryPage> {
  const turns: Turn[] = [];
  for await (const turn of turnsOf(engine, thread_id, range)) {
    const [first] = turn;
    if (first!.role === 'assistant' && first!.run_id !== null && first!.run_id === streaming) continue;
    if (run_id !== undefined && first!.run_id !== run_id) continue;
    if (turns.push(turn) > limit) break;
  }
  const page = turns.slice(0, limit);
  const messages: UiMessage[] = [];
  for (const turn of page) messages.push(uiMessageOf(turn, thread_id, await statesOf(engine, turn)));
  const cursors = page.map((turn) => (range.order === 'asc' ? turn.at(-1)! : turn[0]!).cursor);
  return {
    messages,
    has_more: turns.length > limit,
    next_cursor: cursors.at(-1) ?? null,
    prev_cursor: page.length === 0 ? null : (range.order === 'asc' ? page[0]![0]! : page[0]!.at(-1)!).cursor,
  };
}

const none: CallStates = new Map();

/** What the run's log says of the turn's calls, when the messages do not say enough and the log is still there. */
async function statesOf(engine: Engine, turn: Turn): Promise<CallStates> {
  const { run_id } = turn[0]!;
  if (run_id === null || !needsLog(turn)) return none;
  try {
    return await callsOf(engine, run_id);
  } catch (error) {
    if (hasCode(error, ErrorCode.eventsExpired)) return none;
    throw error;
  }
}
