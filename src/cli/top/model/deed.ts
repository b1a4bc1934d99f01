/** What the tool can do to the server, as data; and how each is done. A deed that failed says why in one line. */

import type { Act, Client, JsonValue } from '../../client/index.js';
import { plural } from '../format.js';
import { toCommandLine } from '../../session/command-line.js';

export type Deed =
  | { do: 'approve' | 'deny' | 'retry_call'; run_id: string; tool_call_id: string }
  | { do: 'answer'; run_id: string; tool_call_id: string; result: JsonValue }
  | { do: 'cancel_run'; run_id: string }
  | { do: 'interrupt'; thread_id: string }
  | { do: 'retry_entry' | 'cancel_entry'; thread_id: string; entry_id: string }
  | { do: 'message'; thread_id: string; agent_id: string; text: string };

/** Throws `CliError`. The reason goes into the server's audit log; a denial tells it to the model as well. */
export async function perform(client: Client, deed: Deed, act: Act): Promise<void> {
  switch (deed.do) {
    case 'approve':
      return decide(client, deed, { action: 'resume', result: { approved: true } }, act);
    case 'retry_call':
      return decide(client, deed, { action: 'resume', result: { retry: true } }, act);
    case 'answer':
      return decide(client, deed, { action: 'resume', result: deed.result }, act);
    case 'deny':
      return decide(client, deed, { action: 'cancel', result: null, ...act }, act);
    case 'cancel_run':
      return void (await client.cancelRun(deed.run_id, act));
    case 'interrupt':
      return void (await client.interrupt(deed.thread_id, act));
    case 'retry_entry':
      return void (await client.retryEntry(deed.thread_id, deed.entry_id, act));
    case 'cancel_entry':
      return client.cancelEntry(deed.thread_id, deed.entry_id, act);
    case 'message':
      return void (await client.startRun(
        {
          agent_id: deed.agent_id,
          thread_id: deed.thread_id,
          messages: [{ role: 'user', content: deed.text }],
          // Whatever runs there goes on: the message waits for its turn.
          on_busy: 'enqueue',
        },
        crypto.randomUUID(),
      ));
  }
}

async function decide(
  client: Client,
  { run_id, tool_call_id }: { run_id: string; tool_call_id: string },
  decision: { action: 'resume' | 'cancel'; result: JsonValue; reason?: string | undefined },
  act: Act,
): Promise<void> {
  const { reason, ...rest } = decision;
  await client.decide(
    run_id,
    [
      {
        target_id: tool_call_id,
        decision_id: crypto.randomUUID(),
        ...rest,
        ...(reason === undefined ? {} : { reason }),
      },
    ],
    act,
  );
}

/** Done, as the notice says it, and to what. */
const words: Readonly<Record<Deed['do'], readonly [did: string, one: string, many?: string]>> = {
  approve: ['approved', 'call'],
  deny: ['denied', 'call'],
  retry_call: ['told to try again', 'call'],
  answer: ['answered', 'call'],
  cancel_run: ['cancelled', 'run'],
  interrupt: ['interrupted', 'thread'],
  retry_entry: ['queued again', 'dead letter'],
  cancel_entry: ['taken out of the queue', 'entry', 'entries'],
  message: ['sent', 'message'],
};

/** What became of deeds of one kind: `denied 2 calls`; of those that failed also why the first one did. */
export function outcomeText(deeds: readonly Deed[], errors: readonly string[]): string {
  const [did, one, many] = words[deeds[0]!.do];
  const things = plural(deeds.length, one, many);
  if (errors.length === 0) return `${did}: ${things}`;
  const done = deeds.length - errors.length;
  return done === 0 ? errors[0]! : `${did}: ${done} of ${things}; ${errors[0]}`;
}

/** The command that does the same from a shell. `where`: the arguments that name the server. */
export const commandOf = (deed: Deed, where: readonly string[]): string => toCommandLine([...wordsOf(deed), ...where]);

function wordsOf(deed: Deed): string[] {
  switch (deed.do) {
    case 'approve':
    case 'deny':
      return ['decide', deed.run_id, deed.tool_call_id, deed.do];
    case 'retry_call':
      return ['decide', deed.run_id, deed.tool_call_id, 'answer', '--result', '{"retry":true}'];
    case 'answer':
      return ['decide', deed.run_id, deed.tool_call_id, 'answer', '--result', JSON.stringify(deed.result)];
    case 'cancel_run':
      return ['runs', 'cancel', deed.run_id, '-y'];
    case 'interrupt':
      return ['threads', 'interrupt', deed.thread_id, '-y'];
    case 'retry_entry':
      return ['mailbox', 'retry', deed.thread_id, deed.entry_id];
    case 'cancel_entry':
      return ['mailbox', 'cancel', deed.thread_id, deed.entry_id, '-y'];
    case 'message':
      return ['runs', 'start', deed.agent_id, deed.text, '--thread', deed.thread_id, '--on-busy', 'enqueue', '-d'];
  }
}
