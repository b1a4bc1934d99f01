/** 4 Messages: what was said on the thread, the newest last. */

import type { Message } from '../../client/index.js';
import { segment, type Line, type Style } from '../../rail/index.js';
import { clockTime, inline, shortId, wrapText } from '../format.js';
import { source, type Model } from '../model/model.js';
import { liveItem } from './actor.js';
import { saying, waitingFor, type Tab } from './tab.js';

/** Messages that are looked back to. */
const LAST = 100;

export const messagesOf = (model: Model, thread_id: string, run_id: string | null = null) =>
  source(
    `messages ${thread_id}`,
    async (client) =>
      (await client.messages(thread_id, { order: 'desc', visibility: 'all', limit: LAST })).messages.reverse(),
    2_000,
    String(liveItem(model, { run_id, thread_id })?.since ?? 'rest'),
  );

const styles: Readonly<Record<Message['role'], Style>> = {
  user: 'title',
  assistant: 'active',
  tool: 'enabled',
  system: 'dim',
};

export const messages: Tab = {
  name: 'messages',
  wants: (model, { target }) => [messagesOf(model, target.thread_id, target.run_id).want],
  view(model, { target }, { width }) {
    const list = messagesOf(model, target.thread_id, target.run_id);
    const all = list.read(model);
    if (!all) return waitingFor(list.error(model));
    if (all.length === 0) return saying('nothing has been said yet');
    return { lines: all.flatMap((message) => linesOf(message, width - 4, target.run_id)) };
  },
};

function linesOf(message: Message, width: number, run_id: string | null): Line[] {
  const { role, tool_calls = [], tool_call_id, visibility, created_at } = message;
  const isOther = run_id !== null && message.run_id !== run_id;
  const notes = [
    clockTime(created_at),
    ...(tool_call_id === undefined ? [] : [`answers ${shortId(tool_call_id)}`]),
    ...(visibility === 'internal' ? ['for the model alone'] : []),
    ...(isOther && message.run_id !== null ? [`run ${shortId(message.run_id)}`] : []),
  ];
  return [
    [segment(` ${role}`, isOther ? 'dim' : styles[role]), segment(`  ${notes.join('  ')}`, 'dim')],
    ...linesOfText(message, width).map((text): Line => [segment(`   ${text}`, isOther ? 'dim' : 'plain')]),
    ...tool_calls.map((call): Line => [
      segment('   → ', 'dim'),
      segment(call.name, 'strong'),
      segment(` ${inline(call.arguments)}  `),
      segment(shortId(call.id), 'dim'),
    ]),
  ];
}

/** Pictures are drawn often, and what was said stays as it is. */
const wrapped = new WeakMap<Message, { width: number; lines: string[] }>();

function linesOfText(message: Message, width: number): string[] {
  const known = wrapped.get(message);
  if (known?.width === width) return known.lines;
  const lines = wrapText(message.content, width);
  wrapped.set(message, { width, lines });
  return lines;
}
