/**
 * `POST /v1/runs`: starts a run, or attaches to the one that the same request has started (CONTRACT 1.7 to 1.10).
 *
 * The answer is the run's event stream until it ends or stands still; with `accept: application/json` its outcome; with
 * `prefer: respond-async` its record at once. A client that goes away stops nothing unless it, or the agent, asked for that
 * (CONTRACT 1.8). Decisions in a start that a waiting run has asked for resume that run, and the answer is its continuation
 * (CONTRACT 1.11), also when they are sent again.
 */

import { AgentServerError, ErrorCode, notInitialised } from '../../errors.js';
import type { Answers, Engine, EventReader, Principal } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import { bodyHash } from '../body-hash.js';
import type { Ctx, Handler } from '../context.js';
import type { Services } from '../services.js';
import { requestIds } from '../idempotency.js';
import { cancelOnDisconnect, nameRun, openRunStream } from '../run-stream.js';
import { canonicalFrames } from './canonical.js';
import { continuationOf } from './continuation.js';
import { outcomeOf } from './outcome.js';
import { afterOf, lastEventId, openAt } from './position.js';
import { readStart, type StartPayload } from './start-payload.js';

type Started = Answers['start'];

/** `POST /v1/runs`. */
export function startRun(services: Services): Handler {
  const { engine: open, agents, sse } = services;
  return async function postRun(ctx) {
    const engine = open(ctx.state.principal);
    const payload = readStart(ctx.request.body, 'user', 'interrupt', requestIds(ctx));
    const position = lastEventId(ctx) ?? afterOf(ctx);
    const mode = modeOf(ctx);
    if (mode === 'stream') sse.assertRoom(ctx.state.caller);

    const started = await startOrAttach(engine, payload, ctx.state.principal);
    const { run } = started;
    nameRun(ctx, run);
    if (mode === 'async') return answerAsync(ctx, run);

    const whenLeft = payload.on_disconnect ?? agents.get(run.agent_id)?.on_disconnect;
    const onAbandoned = whenLeft === 'cancel' ? cancelOnDisconnect(engine, run.run_id, services) : undefined;
    const resumed = await resumedAfter(engine, started, payload);
    const seen = Math.max(started.attached ? position : -1, resumed);
    const reader = seen > resumed ? await openAt(engine, run.run_id, seen) : await engine.readEvents(run.run_id, seen);
    if (mode === 'wait') return answerOutcome(ctx, engine, reader, onAbandoned);
    openRunStream(ctx, services, reader, {
      frames: canonicalFrames,
      until: 'standstill',
      ...(seen > resumed ? { seen: { seq: seen } } : {}),
      ...(onAbandoned ? { onAbandoned } : {}),
    });
  };
}

/** What the client wants back. Without a preference it is the stream. */
function modeOf(ctx: Ctx): 'stream' | 'wait' | 'async' {
  if (/(^|[,;\s])respond-async($|[,;\s])/i.test(ctx.get('prefer'))) return 'async';
  return ctx.accepts('text/event-stream', 'application/json') === 'application/json' ? 'wait' : 'stream';
}

/** Starts the run unless this very request has done so before. Throws `conflict` when another one took its id. */
export async function startOrAttach(
  engine: Engine,
  { start, asked }: StartPayload,
  principal: Principal,
): Promise<Started> {
  if (start.run_id !== undefined) {
    const claim = await engine.claimRun(start.run_id, bodyHash(asked, principal.id));
    if (!claim.claimed) {
      if (!claim.same_body) throw new AgentServerError(ErrorCode.conflict, `run already exists: ${start.run_id}`);
      const run = await engine.read({ kind: 'run', run_id: claim.run_id });
      if (run) return { run, attached: true };
    }
  }
  return engine.deliver({ type: 'start', start }, principal);
}

/** The last event before the part of the log that is the answer; -1 when all of it is. */
async function resumedAfter(engine: Engine, started: Started, { start }: StartPayload): Promise<number> {
  if (started.resumed_after !== undefined) return started.resumed_after;
  return started.attached ? continuationOf(engine, started.run, start) : -1;
}

function answerAsync(ctx: Ctx, run: RunRecord): void {
  ctx.set('preference-applied', 'respond-async');
  ctx.status = 202;
  ctx.body = run;
}

async function answerOutcome(
  ctx: Ctx,
  engine: Engine,
  reader: EventReader,
  onAbandoned: (() => void) | undefined,
): Promise<void> {
  const leave = (): void => {
    reader.close();
    onAbandoned?.();
  };
  ctx.res.once('close', leave);
  if (ctx.res.destroyed) leave();
  const outcome = await outcomeOf(reader, engine);
  ctx.res.off('close', leave);
  reader.close();
  if (!outcome) throw notInitialised();
  ctx.body = outcome;
}
