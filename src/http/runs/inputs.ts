/**
 * `POST /v1/runs/:id/inputs`: more input for a run (spec, "two modes"; CONTRACT 1.9 to 1.12).
 *
 * Decisions alone are forwarded to the run, which must be active; those it has taken before are acknowledged again, also
 * when it is done. Messages begin a run that follows it on its thread; decisions that come with them are applied in the
 * same commit. Both are answered 202 as soon as they are durable: whoever wants to watch opens the run's events.
 */

import type { Answers, Engine, Principal } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import { runNotFound } from '../../errors.js';
import type { Ctx, Handler } from '../context.js';
import type { Services } from '../services.js';
import { requestIds } from '../idempotency.js';
import { demand, Scope } from '../scopes.js';
import { continuationStart, readInputs } from './inputs-payload.js';
import { runIdOf } from './run-id.js';
import { startOrAttach } from './start.js';
import type { Payload } from './start-payload.js';

/** `POST /v1/runs/:id/inputs`. */
export function postInputs({ engine: open }: Services): Handler {
  return async function postRunInputs(ctx) {
    const engine = open(ctx.state.principal);
    const run_id = runIdOf(ctx);
    const inputs = readInputs(ctx.request.body, requestIds(ctx));
    if (inputs.mode === 'continuation' || inputs.decided.state) demand(ctx.state.principal, [Scope.runs]);
    const run = await engine.read({ kind: 'run', run_id });
    if (!run) throw runNotFound(run_id);
    if (inputs.mode === 'continuation') return answerContinuation(ctx, engine, inputs.payload, run);
    await engine.deliver({ type: 'decide', run_id, ...inputs.decided }, ctx.state.principal);
    answerForwarded(ctx, run);
  };
}

async function answerContinuation(ctx: Ctx, engine: Engine, payload: Payload, parent: RunRecord): Promise<void> {
  const next = await startContinuation(engine, payload, parent, ctx.state.principal);
  // Its messages were all known: nothing but its decisions was new.
  if (!next) return answerForwarded(ctx, parent);
  ctx.status = 202;
  ctx.body = {
    status: 'continuation_started',
    parent_run_id: parent.run_id,
    thread_id: parent.thread_id,
    run_id: next.run_id,
  };
}

async function startContinuation(
  engine: Engine,
  payload: Payload,
  parent: RunRecord,
  principal: Principal,
): Promise<RunRecord | undefined> {
  const asked = continuationStart(payload, parent);
  const answer: Answers['start'] = await startOrAttach(engine, asked, principal);
  if (answer.follows) return answer.follows;
  const tookDecisions = answer.resumed_after !== undefined || answer.attached;
  return tookDecisions && answer.run.run_id !== asked.start.run_id ? undefined : answer.run;
}

function answerForwarded(ctx: Ctx, { run_id, thread_id }: RunRecord): void {
  ctx.status = 202;
  ctx.body = { status: 'decision_forwarded', run_id, thread_id };
}
