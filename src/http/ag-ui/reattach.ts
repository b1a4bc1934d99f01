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
import type { RunRecord } from '../../actors/records.js';
import type { AgentRegistry } from '../../agents/types.js';
import type { Handler, Services } from '../context.js';
import { headerText } from '../runs/start.js';
import { frameText, type Variant } from './encoder.js';
import { toAgUiMessages } from './messages.js';
import { agentIdOf, agentThreadIdOf } from './path.js';
import { framePositionOf } from './position.js';
import { JoinPoint, readStored } from './run-log.js';
import { headFrame, openStream, type Begin } from './stream.js';
import { started } from './translate.js';
import { variantOf } from './variant.js';

export function joinThread(services: Services, agents: Pick<AgentRegistry, 'get'>): Handler {
  const { engine: open, sse } = services;
  return async function getAgUiThreadStream(ctx) {
    const engine = open();
    const agent_id = agentIdOf(ctx);
    const thread_id = agentThreadIdOf(ctx);
    const position = framePositionOf(ctx);
    const variant = variantOf(ctx);
    if (!agents.get(agent_id)) throw agentNotFound(agent_id);
    sse.assertRoom();

    const run = await activeRun(engine, thread_id, agent_id);
    const begin = run && (position ? { after: position } : await joinAt(engine, run, variant));
    if (!begin) return void (ctx.status = 204);
    ctx.set({ 'x-run-id': headerText(run.run_id), 'x-thread-id': headerText(run.thread_id) });
    await openStream(ctx, services, engine, { run_id: run.run_id, begin, variant });
  };
}

async function activeRun(engine: Engine, thread_id: string, agent_id: string): Promise<RunRecord | undefined> {
  const thread = await engine.read({ kind: 'thread', thread_id });
  if (!thread || thread.active_run_id === null) return undefined;
  const run = await engine.read({ kind: 'run', run_id: thread.active_run_id });
  return run?.agent_id === agent_id ? run : undefined;
}

/** Where to join, and what to tell first; undefined when the run has ended meanwhile. */
async function joinAt(engine: Engine, run: RunRecord, variant: Variant): Promise<Begin | undefined> {
  const { run_id, thread_id } = run;
  const point = new JoinPoint();
  const log = await engine.readEvents(run_id, -1);
  try {
    await readStored(log, (seq, event) => point.see(seq, event));
    if (point.over || point.seq < 0) return undefined;
    // The messages are read behind the point and in front of the end of the log that is noted: what they show of the part
    // that will be told is left out of them.
    const messages = (await engine.read({ kind: 'messages', thread_id })) ?? [];
    const state = await engine.read({ kind: 'state', thread_id });
    await readStored(log, (seq, event) => point.note(seq, event));
    const shown = messages.filter(({ id }) => !point.written.has(id));
    const now = Date.now();
    const texts = [
      frameText(started({ thread_id, run_id, v1: variant.v1 }, run.parent_run_id), now),
      frameText({ type: 'MESSAGES_SNAPSHOT', messages: toAgUiMessages(shown) }, now),
    ];
    if (state && Object.keys(state).length > 0 && !point.tellsState) {
      texts.push(frameText({ type: 'STATE_SNAPSHOT', snapshot: state }, now));
    }
    const last = texts.pop()!;
    return { seq: point.seq, head: texts.map((text) => headFrame(text)).join('') + headFrame(last, point.seq - 1) };
  } finally {
    log.close();
  }
}
