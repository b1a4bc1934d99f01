/**
 * `GET /v1/ag-ui/agents/:agent_id/threads/:id/stream`: joins the run that is active on a thread (CONTRACT-PROTOCOLS 6.7,
 * CONTRACT 11): RUN_STARTED, the thread's messages, its state when there is one, then the step under way from its
 * beginning and whatever follows; on a waiting run, what it waits for. 204 when no run of this agent is active.
 *
 * Nothing is told twice and nothing is left out: the messages are those in front of the event from which on the log is
 * told. With the id of a frame of the active run the stream goes on behind it instead, as everywhere (CONTRACT 1.6).
 */

import { agentNotFound } from '../../errors.js';
import type { Engine } from '../../actors/engine.js';
import type { Message, RunRecord } from '../../actors/records.js';
import type { JsonObject } from '../../json.js';
import { isRunOf } from '../agent-of-run.js';
import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { frame } from '../frames.js';
import { frameText, type Variant } from './encoder.js';
import type { AgUiFields } from './events.js';
import { toAgUiMessages } from './messages.js';
import { agentIdOf, agentThreadIdOf } from './path.js';
import { framePositionOf } from '../frame-position.js';
import { storedEvents } from '../stored-events.js';
import { JoinPoint } from './run-log.js';
import { bareFrame, openStream, type Begin } from './stream.js';
import { started } from './translate.js';
import { variantOf } from './variant.js';

/** `GET /v1/ag-ui/agents/:agent_id/threads/:id/stream`. */
export function joinThread(services: Services): Handler {
  const { engine: open, agents, sse } = services;
  return async function getAgUiThreadStream(ctx) {
    const engine = open(ctx.state.principal);
    const agent_id = agentIdOf(ctx);
    const thread_id = agentThreadIdOf(ctx);
    const position = framePositionOf(ctx);
    const variant = variantOf(ctx);
    if (!agents.get(agent_id)) throw agentNotFound(agent_id);
    sse.assertRoom(ctx.state.caller);

    const run = await activeRun(engine, thread_id, agent_id);
    const begin = run && (position ? { after: position } : await joinAt(engine, run, variant));
    if (!begin) return void (ctx.status = 204);
    await openStream(ctx, services, engine, { run_id: run.run_id, begin, variant });
  };
}

async function activeRun(engine: Engine, thread_id: string, agent_id: string): Promise<RunRecord | undefined> {
  const thread = await engine.read({ kind: 'thread', thread_id });
  if (!thread || thread.active_run_id === null) return undefined;
  const run = await engine.read({ kind: 'run', run_id: thread.active_run_id });
  return run && (await isRunOf(engine, run, agent_id)) ? run : undefined;
}

/** Tries to find the thread's state at rest; after that it is left out. */
const TRIES = 3;

/** Where to join, and what to tell first; undefined when the run has ended meanwhile. */
export async function joinAt(
  engine: Engine,
  run: RunRecord,
  { v1, run_id: told_id }: Variant,
): Promise<Begin | undefined> {
  for (let tries = 1; ; tries++) {
    const point = new JoinPoint();
    const { messages, state } = await readAround(engine, run, point);
    if (point.over || point.seq < 0) return undefined;
    if (point.stateMoved && tries < TRIES) continue;
    const { thread_id, parent_run_id } = run;
    const told: AgUiFields[] = [
      started({ thread_id, run_id: told_id ?? run.run_id, v1 }, parent_run_id),
      { type: 'MESSAGES_SNAPSHOT', messages: toAgUiMessages(messages) },
    ];
    if (!point.stateMoved && Object.keys(state).length > 0) told.push({ type: 'STATE_SNAPSHOT', snapshot: state });
    return { seq: point.seq, head: headOf(told, point.seq - 1) };
  }
}

/**
 * Finds the point, then reads the thread, then the rest of the log: whatever the thread shows of the part that will be
 * told from the log is known by then, and left out.
 */
async function readAround(
  engine: Engine,
  { run_id, thread_id }: RunRecord,
  point: JoinPoint,
): Promise<{ messages: Message[]; state: JsonObject }> {
  const log = await engine.readEvents(run_id, -1);
  try {
    for await (const [seq, event] of storedEvents(log)) point.see(seq, event);
    const messages = (await engine.read({ kind: 'messages', thread_id })) ?? [];
    const state = (await engine.read({ kind: 'state', thread_id })) ?? {};
    for await (const [seq, event] of storedEvents(log)) point.note(seq, event);
    return { messages: messages.filter(({ id }) => !point.written.has(id)), state };
  } finally {
    log.close();
  }
}

/**
 * The frames in front of those of the log. They are in no log, so there is nothing to resume from before the client has
 * them all: only the last one has an id, that of the event in front of what follows.
 */
function headOf(told: readonly AgUiFields[], last_seq: number): string {
  const now = Date.now();
  const texts = told.map((fields) => frameText(fields, now));
  return texts.map((text, i) => (i < texts.length - 1 ? bareFrame(text) : frame(`${last_seq}`, text))).join('');
}
