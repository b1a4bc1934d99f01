/**
 * `POST /v1/ag-ui/agents/:agent_id/runs`: starts a run, goes on with the one that waits for what the request decides, or
 * attaches to the one that the same request has started (CONTRACT-PROTOCOLS 6).
 *
 * The answer is the stream of that run up to its end or its next pause; only decisions that name the active run are
 * answered 202. The client's run id is what it is told in any case; the run has it too when it is free (6.4). Everything
 * that can be refused is refused before the 200.
 */

import { agentNotFound, AgentServerError, ErrorCode, runNotActive, runNotFound } from '../../errors.js';
import type { Engine, Principal, StartRequest } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import type { JsonValue } from '../../json.js';
import { bodyHash } from '../body-hash.js';
import type { Ctx, Handler } from '../context.js';
import type { Services } from '../services.js';
import { cancelOnDisconnect } from '../run-stream.js';
import { agentIdOf } from './path.js';
import type { Variant } from './encoder.js';
import { planRequest, type Plan } from './plan.js';
import { joinAt } from './reattach.js';
import { framePositionOf } from '../frame-position.js';
import { readRunAgentInput, type RunAgentInput } from './request.js';
import { questionsOf } from './run-log.js';
import { openStream, type Begin } from './stream.js';
import { tailOf } from './tail.js';

/**
 * The run that answers a request, and from where on. `of`: it is this request's own, that of an earlier one like it, or
 * another's, which the client may leave as it found it.
 */
type Answer = { run: RunRecord; begin: Begin; of: 'this' | 'earlier' | 'another' };

/** `POST /v1/ag-ui/agents/:agent_id/runs`. */
export function startRun(services: Services): Handler {
  const { engine: open, agents, sse } = services;
  return async function postAgUiRun(ctx) {
    const engine = open(ctx.state.principal);
    const agent_id = agentIdOf(ctx);
    const input = readRunAgentInput(ctx.request.body);
    const position = framePositionOf(ctx);
    const agent = agents.get(agent_id);
    if (!agent) throw agentNotFound(agent_id);
    sse.assertRoom(ctx.state.caller);

    const hash = bodyHash({ surface: 'ag_ui', agent_id, body: ctx.request.body as JsonValue }, ctx.state.principal.id);
    const answer = await answerTo(engine, { agent_id, input, hash, principal: ctx.state.principal });
    if (answer === 'forwarded') return answerForwarded(ctx, input);

    const { run, begin, of } = answer;
    const whenLeft = input.on_disconnect ?? agent.on_disconnect;
    await openStream(ctx, services, engine, {
      run_id: run.run_id,
      begin: of === 'earlier' && position ? { after: position } : begin,
      variant: variantFor(input, run),
      ...(whenLeft === 'cancel' && of !== 'another'
        ? { onAbandoned: cancelOnDisconnect(engine, run.run_id, services) }
        : {}),
    });
  };
}

/** The client is told its own run id, and only those results that it has not given itself. */
function variantFor({ v1, runId, messages }: RunAgentInput, { run_id }: RunRecord): Variant {
  const results = tailOf(messages).results.map(({ call_id, content, error }) => [call_id, error ?? content] as const);
  return {
    v1,
    ...(run_id === runId ? {} : { run_id: runId }),
    ...(results.length > 0 ? { given: new Map(results) } : {}),
  };
}

function answerForwarded(ctx: Ctx, { threadId, runId }: RunAgentInput): void {
  ctx.status = 202;
  ctx.body = { status: 'decision_forwarded', threadId, runId };
}

type Request = { agent_id: string; input: RunAgentInput; hash: string; principal: Principal };

/** How often a request is planned when its thread goes on while it is read. */
const ATTEMPTS = 3;

async function answerTo(engine: Engine, request: Request): Promise<Answer | 'forwarded'> {
  for (let attempt = 1; ; attempt++) {
    const plan = await planRequest(engine, request.agent_id, request.input);
    try {
      return await carryOut(engine, plan, request);
    } catch (error) {
      if (attempt === ATTEMPTS || !cameTooLate(plan, error)) throw error;
    }
  }
}

function carryOut(engine: Engine, plan: Plan, request: Request): Promise<Answer | 'forwarded'> {
  switch (plan.is) {
    case 'forward':
      return forward(engine, plan, request);
    case 'join':
      return join(engine, plan);
    case 'attend':
      return attend(engine, plan.run_id, request.input);
    case 'start':
      return start(engine, plan.start, request);
  }
}

/** The run has ended, was answered by somebody else, or has begun, since the request was planned. */
function cameTooLate(plan: Plan, error: unknown): boolean {
  if (!(error instanceof AgentServerError)) return false;
  if (plan.is === 'start') return plan.onlyAnswers && error.code === ErrorCode.conflict;
  return plan.is !== 'join' && error.code === ErrorCode.runNotActive;
}

async function join(engine: Engine, { run_id, after }: Extract<Plan, { is: 'join' }>): Promise<Answer> {
  const run = await engine.read({ kind: 'run', run_id });
  if (!run) throw runNotFound(run_id);
  return { run, begin: { continuation: after + 1 }, of: 'this' };
}

async function attend(engine: Engine, run_id: string, input: RunAgentInput): Promise<Answer> {
  const run = await engine.read({ kind: 'run', run_id });
  const begin = run && (await joinAt(engine, run, variantFor(input, run)));
  if (!begin) throw runNotActive();
  return { run, begin, of: 'another' };
}

async function forward(
  engine: Engine,
  { run_id, decisions }: Extract<Plan, { is: 'forward' }>,
  { input: { state }, hash, principal }: Request,
): Promise<Answer | 'forwarded'> {
  // This very request may have started the run.
  const earlier = await engine.read({ kind: 'run', run_id, body_hash: hash });
  if (earlier) return { run: earlier, begin: { seq: 0 }, of: 'earlier' };
  await engine.deliver({ type: 'decide', run_id, decisions, ...(state ? { state } : {}) }, principal);
  return 'forwarded';
}

async function start(engine: Engine, asked: StartRequest, { input, hash, principal }: Request): Promise<Answer> {
  const claim = await engine.claimRun(input.runId, hash);
  if (!claim.claimed && claim.same_body) {
    const run = await engine.read({ kind: 'run', run_id: claim.run_id });
    if (run) return { run, begin: { seq: 0 }, of: 'earlier' };
  }
  const named = claim.claimed ? { ...asked, run_id: input.runId } : asked;
  const { run, attached, resumed_after } = await engine.deliver({ type: 'start', start: named }, principal);
  if (resumed_after !== undefined) return { run, begin: { continuation: resumed_after + 1 }, of: 'this' };
  if (!attached) return { run, begin: { seq: 0 }, of: 'this' };
  return { run, begin: await continuationOf(engine, run.run_id, asked), of: 'earlier' };
}

/** Where the run went on after decisions that it has taken before. */
async function continuationOf(engine: Engine, run_id: string, { decisions = [] }: StartRequest): Promise<Begin> {
  const targets = new Set(decisions.map(({ target_id }) => target_id));
  const questions = await questionsOf(engine, run_id);
  const answered = questions.flatMap(({ call_id, answered: seq }) => (targets.has(call_id) ? (seq ?? []) : []));
  return answered.length > 0 ? { continuation: Math.min(...answered) } : { seq: 0 };
}
