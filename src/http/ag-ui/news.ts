/**
 * What a request says that its thread does not know yet.
 *
 * A message with an id is news when the thread has none of that id. One without an id can only be told by what it says:
 * in front of the last one, inputs that repeat the newest ones of the thread word for word are a client's memory of a run
 * that gave no answer, and a system message the thread has is the client's preamble. The last input is news always:
 * saying the same thing twice is saying something.
 */

import type { Engine } from '../../actors/engine.js';
import type { Message } from '../../actors/records.js';
import type { Input, Tail } from './tail.js';

export type News = {
  inputs: Input[];
  /** The id of the last message, when the thread has it: the client wants the answer to it again (6.3). */
  repeats: string | undefined;
};

const PAGE = 50;
/** Unanswered inputs of a thread that a client may be remembering. */
const MEMORY = 50;

export async function newsOf(engine: Engine, thread_id: string, tail: Tail): Promise<News> {
  const known = await knownIds(engine, thread_id, tail);
  const unnamed = await repeated(engine, thread_id, tail.inputs);
  const last = tail.last?.id;
  return {
    inputs: tail.inputs.filter((input) => (input.id === undefined ? !unnamed.has(input) : !known.has(input.id))),
    repeats: last !== undefined && known.has(last) ? last : undefined,
  };
}

/**
 * Which ids of the tail the thread has. Read from the end: the thread's order is the client's, so behind the newest
 * message that both know in front of the tail there is nothing left to find.
 */
async function knownIds(engine: Engine, thread_id: string, { inputs, earlier }: Tail): Promise<Set<string>> {
  const wanted = new Set(inputs.flatMap(({ id }) => id ?? []));
  const known = new Set<string>();
  if (wanted.size === 0) return known;
  for await (const { id } of newestFirst(engine, thread_id)) {
    if (earlier.has(id)) break;
    if (wanted.delete(id)) known.add(id);
    if (wanted.size === 0) break;
  }
  return known;
}

/** The inputs without an id that only repeat what the thread has. */
async function repeated(engine: Engine, thread_id: string, inputs: readonly Input[]): Promise<Set<Input>> {
  const earlier = inputs.filter(({ id }) => id === undefined).slice(0, -1);
  if (earlier.length === 0) return new Set();
  const preambles = new Set<string>();
  const spoken: string[] = [];
  for await (const { role, content } of newestFirst(engine, thread_id)) {
    if (role === 'system') preambles.add(content);
    if (role === 'user' && spoken.length < MEMORY) spoken.unshift(content);
  }
  const known = ({ role, content }: Input): boolean => role === 'system' && preambles.has(content);
  const rest = earlier.filter((input) => !known(input));
  return new Set([...earlier.filter(known), ...rest.slice(0, remembered(rest, spoken))]);
}

/** How many of the inputs, from the first one on, are the newest words of the thread. */
function remembered(inputs: readonly Input[], spoken: readonly string[]): number {
  for (let count = Math.min(inputs.length, spoken.length); count > 0; count--) {
    const newest = spoken.slice(-count);
    if (newest.every((content, i) => inputs[i]!.role === 'user' && inputs[i]!.content === content)) return count;
  }
  return 0;
}

/** The thread's messages from the newest to the oldest; none when there is no such thread. */
async function* newestFirst(engine: Engine, thread_id: string): AsyncGenerator<Message> {
  let before: number | undefined;
  for (;;) {
    const range = before === undefined ? {} : { before };
    const page = await engine.read({ kind: 'messages', thread_id, order: 'desc', limit: PAGE, ...range });
    if (!page || page.length === 0) return;
    yield* page;
    if (page.length < PAGE) return;
    before = page.at(-1)!.cursor;
  }
}
