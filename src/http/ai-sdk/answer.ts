/**
 * Which run answers a request, and from where on (protocols, the rule for decisions; 7.1, 7.2).
 *
 * Callers may rely on: a known message is never stored twice; a decision that was made before is not made again, and its
 * answer is what followed it; decisions alone never end a run, because a client that repeats an answer (a second click,
 * a second tab, a lost connection) means the run that it answered.
 */

import { AgentServerError, badRequest, ErrorCode, hasCode } from '../../errors.js';
import type { Engine, Principal, StartRequest } from '../../actors/engine.js';
import { RunOrigin } from '../../actors/records.js';
import { isRunOf } from '../agent-of-run.js';
import type { RequestIds } from '../idempotency.js';
import { findMessage, newestFirst } from './messages.js';
import type { ChatRequest, News } from './request.js';
import type { Begin } from './response.js';
import { callsOf, turnIdOf, type CallState } from './run-log.js';

/**
 * `forwarded`: the run goes on in the stream that another request has opened. `shown`: the run is none of the request's; a
 * client that goes away leaves it as it was.
 */
export type Answer = { is: 'forwarded' } | { is: 'stream' | 'shown'; run_id: string; begin: Begin };

export type Asked = {
  agent_id: string;
  chat: ChatRequest;
  /** Of the whole body: tells a repetition of the same request. */
  hash: string;
  /** What the request names under an `Idempotency-Key`. */
  ids: RequestIds | undefined;
  principal: Principal;
};

/** How many of the newest messages are looked through for one that the client did not say to be known. */
const RECENT = 50;

export async function answerTo(engine: Engine, asked: Asked): Promise<Answer> {
  const { news } = asked.chat;
  switch (news.is) {
    case 'input':
      return takeInput(engine, asked, news);
    case 'regenerate':
      return regenerate(engine, asked, news.message_id);
    case 'decisions':
      return (await isNews(engine, asked.chat.thread_id, news))
        ? begin(engine, asked, { messages: news.behind })
        : decide(engine, asked, news);
  }
}

async function takeInput(engine: Engine, asked: Asked, news: Extract<News, { is: 'input' }>): Promise<Answer> {
  const { thread_id } = asked.chat;
  const { messages, message_id } = news;
  const last = messages.at(-1)!;
  const id = message_id ?? last.id;
  const stored =
    id === undefined
      ? undefined
      : await findMessage(engine, thread_id, id, message_id === undefined ? RECENT : Infinity);
  if (stored?.role !== 'user') return begin(engine, asked, { messages });
  // Edited, or asked for again in so many words: the thread is cut in front of it.
  if (message_id !== undefined || stored.content !== last.content) {
    return begin(engine, asked, { messages, rewind: { message_id: stored.id, keep: false } });
  }
  const thread = await engine.read({ kind: 'thread', thread_id });
  if (thread && thread.active_run_id !== null && thread.active_run_id === stored.run_id) {
    return { is: 'stream', run_id: thread.active_run_id, begin: { whole: true } };
  }
  return begin(engine, asked, { messages: [], rewind: { message_id: stored.id, keep: true } });
}

/** In front of an assistant message, behind a user message. */
async function regenerate(engine: Engine, asked: Asked, message_id: string): Promise<Answer> {
  const { thread_id } = asked.chat;
  const stored = await findMessage(engine, thread_id, message_id);
  if (stored && stored.role !== 'tool') {
    return begin(engine, asked, { messages: [], rewind: { message_id, keep: stored.role !== 'assistant' } });
  }
  const question = await questionOf(engine, thread_id, message_id);
  if (question === undefined) throw badRequest('messageId does not reference a stored message');
  return begin(engine, asked, { messages: [], rewind: { message_id: question, keep: true } });
}

/**
 * An answer that broke off before its first word is a message for its client but none of the thread: the user message it
 * was to answer is the newest one, and the run that says so has that message id in its log.
 */
async function questionOf(engine: Engine, thread_id: string, turn_id: string): Promise<string | undefined> {
  for await (const { id, role, run_id } of newestFirst(engine, thread_id, RECENT)) {
    if (role !== 'user') continue;
    return run_id !== null && (await turnIdOf(engine, run_id)) === turn_id ? id : undefined;
  }
  return undefined;
}

async function decide(engine: Engine, asked: Asked, news: Extract<News, { is: 'decisions' }>): Promise<Answer> {
  const { thread_id, run_id } = asked.chat;
  const { decisions } = news;
  const thread = await engine.read({ kind: 'thread', thread_id });
  if (!thread || thread.message_count === 0) {
    throw badRequest('request must include user input or suspension decisions');
  }
  const active = thread.active_run_id;
  if (active !== null && run_id === active && (await isOurs(engine, active, asked.agent_id))) {
    if (await forward(engine, active, asked)) return { is: 'forwarded' };
  }
  if (active === null) {
    const earlier = await became(engine, thread_id, news, news.past);
    if (earlier) return earlier;
  }
  try {
    return await begin(engine, asked, { messages: [], decisions, on_busy: 'reject' }, news);
  } catch (error) {
    if (!hasCode(error, ErrorCode.conflict)) throw error;
    const busy = (await engine.read({ kind: 'thread', thread_id }))?.active_run_id ?? null;
    if (busy === null) throw error;
    if (news.run_id !== busy) {
      const earlier = await became(engine, thread_id, news, true);
      if (earlier) return earlier;
    }
    const followed = await followedBy(engine, busy, news);
    return followed
      ? { is: 'stream', run_id: busy, begin: followed }
      : { is: 'shown', run_id: busy, begin: { whole: true } };
  }
}

/**
 * What became of the questions of the run that the client believes to have asked, on the thread: what followed the answers
 * it has taken, or how they were closed without any (`closed`).
 */
async function became(
  engine: Engine,
  thread_id: string,
  news: Extract<News, { is: 'decisions' }>,
  closed: boolean,
): Promise<Answer | undefined> {
  const { run_id } = news;
  const run = run_id === undefined ? undefined : await engine.read({ kind: 'run', run_id });
  if (run_id === undefined || run?.thread_id !== thread_id) return undefined;
  const begins = await followedBy(engine, run_id, news, closed);
  return begins && { is: 'stream', run_id, begin: begins };
}

/**
 * What was said behind the question is what the client has come for: the thread does not have it, and waits for none of the
 * answers.
 */
async function isNews(
  engine: Engine,
  thread_id: string,
  { behind, decisions }: Extract<News, { is: 'decisions' }>,
): Promise<boolean> {
  const id = behind.at(-1)?.id;
  if (id === undefined || (await findMessage(engine, thread_id, id, RECENT))) return false;
  const active = (await engine.read({ kind: 'thread', thread_id }))?.active_run_id ?? null;
  const calls = active === null ? undefined : await callsOf(engine, active).catch(unlessExpired);
  return !decisions.some(({ target_id }) => isOpen(calls?.get(callOf(target_id))));
}

const isOpen = (call: CallState | undefined): boolean =>
  call !== undefined && call.question !== null && call.answer === null && call.outcome === null;

/** The named run is one of this surface and this agent (spec, "Decision forwarding"). */
async function isOurs(engine: Engine, run_id: string, agent_id: string): Promise<boolean> {
  const run = await engine.read({ kind: 'run', run_id });
  return run?.origin === RunOrigin.aiSdk && (await isRunOf(engine, run, agent_id));
}

/** False when the run has ended meanwhile. */
async function forward(engine: Engine, run_id: string, { chat, principal }: Asked): Promise<boolean> {
  if (chat.news.is !== 'decisions') return false;
  try {
    await engine.deliver({ type: 'decide', run_id, decisions: chat.news.decisions }, principal);
    return true;
  } catch (error) {
    if (hasCode(error, ErrorCode.runNotActive)) return false;
    throw error;
  }
}

/**
 * Where the run went on after these answers, if it has taken any that the client still waits for; with `closed` also after
 * questions that ended without one.
 */
async function followedBy(
  engine: Engine,
  run_id: string,
  { latest }: Pick<Extract<News, { is: 'decisions' }>, 'latest'>,
  closed = false,
): Promise<Begin | undefined> {
  const calls = await callsOf(engine, run_id).catch(unlessExpired);
  if (!calls) return undefined;
  const after = [...latest].flatMap((target) => {
    const call = calls.get(callOf(target));
    return call?.answer?.after ?? (closed ? call?.closed : null) ?? [];
  });
  return after.length > 0 ? { after: Math.min(...after) } : undefined;
}

/** Of a run whose events are gone nobody knows what followed. */
function unlessExpired(error: unknown): undefined {
  if (!hasCode(error, ErrorCode.eventsExpired)) throw error;
}

/** A decision may name the call or its suspension (CONTRACT 5.2). */
const callOf = (target: string): string => (target.startsWith('fc_') ? target.slice(3) : target);

/**
 * Starts a run, or attaches to the one that this very request has started, or goes on with the one that it answers. The
 * client's run id is the run's when it is free. Throws `conflict` when another request had the `Idempotency-Key`.
 */
async function begin(
  engine: Engine,
  { agent_id, chat, hash, ids, principal }: Asked,
  what: Pick<StartRequest, 'messages' | 'rewind' | 'decisions'> & { on_busy?: 'reject' },
  answers?: Pick<Extract<News, { is: 'decisions' }>, 'latest'>,
): Promise<Answer> {
  const start: StartRequest = {
    agent_id,
    thread_id: chat.thread_id,
    origin: RunOrigin.aiSdk,
    on_busy: chat.on_busy ?? { default: 'interrupt' },
    ...(chat.parent_thread_id === undefined ? {} : { parent_thread_id: chat.parent_thread_id }),
    ...what,
  };
  const wanted = chat.run_id ?? ids?.run_id;
  if (wanted !== undefined) {
    const claim = await engine.claimRun(wanted, hash);
    if (!claim.claimed && claim.same_body) return { is: 'stream', run_id: claim.run_id, begin: { whole: true } };
    if (claim.claimed) start.run_id = wanted;
    else if (chat.run_id === undefined)
      throw new AgentServerError(ErrorCode.conflict, `run already exists: ${claim.run_id}`);
  }
  const { run, attached, resumed_after } = await engine.deliver({ type: 'start', start }, principal);
  const { run_id } = run;
  if (resumed_after !== undefined) return { is: 'stream', run_id, begin: { after: resumed_after } };
  const earlier = attached && answers ? await followedBy(engine, run_id, answers) : undefined;
  return { is: 'stream', run_id, begin: earlier ?? { whole: true } };
}
