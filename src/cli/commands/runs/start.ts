/**
 * `runs start` and `runs watch`: a run followed by a person or a script.
 *
 * For people its story as it happens; `jsonl` every event; `json` its outcome at the end; `name` its id. Leaving does not
 * stop the run (CONTRACT 1.8).
 */

import { randomUUID } from 'node:crypto';
import { usage, type Client, type JsonObject, type RunRecord, type StartPayload } from '../../client/index.js';
import { ExitCode } from '../../client/exit-codes.js';
import { exitCodeOf, follow, type FollowOptions, type Standstill } from '../../narrate/follow.js';
import { LiveStory } from '../../narrate/live.js';
import { itemEnvelope } from '../../output/envelope.js';
import { printItem } from '../../output/print.js';
import type { Session } from '../../session/session.js';
import { runs } from '../../views/runs.js';

export type StartOptions = {
  thread?: string;
  onBusy?: StartPayload['on_busy'];
  runId?: string;
  resource?: string;
  state?: string;
  metadata?: string;
  detach?: boolean;
};

export async function start(
  session: Session,
  options: StartOptions,
  agent: string,
  words: string[],
): Promise<ExitCode> {
  const client = await session.client();
  const run = await client.startRun(await payloadOf(session, options, agent, words), randomUUID());
  if (options.detach) {
    await printItem(session, runs, run);
    return ExitCode.ok;
  }
  await tellQueued(session, run);
  return exitCodeOf(await report(session, client, run.run_id, 'standstill'));
}

export async function watch(session: Session, options: { exitStatus?: boolean }, run: string): Promise<ExitCode> {
  const client = await session.client();
  await tellQueued(session, await client.run(run));
  const end = await report(session, client, run, options.exitStatus ? 'standstill' : 'finish');
  return options.exitStatus ? exitCodeOf(end) : ExitCode.ok;
}

/** A run whose turn has not come tells nothing, however long that takes: whoever follows it is to know why. */
async function tellQueued(session: Session, { run_id, thread_id, termination_code }: RunRecord): Promise<void> {
  if (termination_code === 'queued') await session.say(`run ${run_id} waits for its turn on thread ${thread_id}`);
}

/** Follows the run and prints what the format shows of it. */
async function report(
  session: Session,
  client: Client,
  run: string,
  until: FollowOptions['until'],
): Promise<Standstill> {
  const { out } = session;
  const story = new LiveStory(out);
  const onEvent: FollowOptions['onEvent'] = async (event) => {
    if (out.isForPeople) await story.tell(event);
    else if (out.format === 'jsonl') await out.json(event);
  };
  let end: Standstill;
  try {
    end = await follow(session, client, run, { until, onEvent });
  } catch (error) {
    if (out.isForPeople) await story.endLine();
    if (session.signal.aborted) await session.say(`the run goes on: agent-server runs watch ${run}`);
    throw error;
  }
  if (out.format === 'name') await out.text(`${run}\n`);
  if (out.format === 'json') await out.json(itemEnvelope('RunOutcome', await outcomeOf(client, run, end)));
  if (out.isForPeople && end.is === 'waiting') {
    for (const { tool_call_id } of end.pending)
      await session.say(`agent-server decide ${run} ${tool_call_id} approve|deny|answer`);
  }
  return end;
}

async function outcomeOf(client: Client, run: string, end: Standstill) {
  const record = await client.run(run);
  return end.is === 'done'
    ? { ...record, response: end.response, pending: [] }
    : { ...record, response: null, pending: end.pending };
}

async function payloadOf(
  session: Session,
  options: StartOptions,
  agent: string,
  words: string[],
): Promise<StartPayload> {
  const content = words.length === 1 && words[0] === '-' ? await readAll(session) : words.join(' ');
  const { thread, onBusy, runId, resource } = options;
  return {
    agent_id: agent,
    messages: content === '' ? [] : [{ role: 'user', content }],
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...(onBusy === undefined ? {} : { on_busy: onBusy }),
    ...(runId === undefined ? {} : { run_id: runId }),
    ...(resource === undefined ? {} : { resource_id: resource }),
    ...(options.state === undefined ? {} : { state: readObject('--state', options.state) }),
    ...(options.metadata === undefined ? {} : { metadata: readObject('--metadata', options.metadata) }),
  };
}

async function readAll(session: Session): Promise<string> {
  const lines: string[] = [];
  for (;;) {
    const line = await session.lines.next(session.signal);
    if (line === null) return lines.join('\n');
    lines.push(line);
  }
}

function readObject(name: string, text: string): JsonObject {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // Said below.
  }
  throw usage(`${name}: expected a JSON object, got ${text}`);
}
