/**
 * The tools of an agent with `delegates` (CONTRACT 5.5): `agent_run`, `agent_output`, `agent_stop`, `agent_handoff`.
 *
 * A child is a run of its own on a thread of its own. Its ids follow from the call that asked for it, so executing the
 * call again after a crash finds the child it began, and nothing here needs more than the call itself to be durable.
 * A child that waits for a person makes the parent's call ask in its place.
 */

import { z } from 'zod';
import type { Agent, Tool } from '../../agents/types.js';
import { AgentServerError, ErrorCode, hasCode } from '../../errors.js';
import type { JsonObject, JsonValue } from '../../json.js';
import type { EventReader, StartRequest } from '../engine.js';
import { derivedId } from '../derived-id.js';
import { canonicalEvents, type Suspension } from '../events.js';
import type { EffectContext, Performer } from '../thread/effects.js';
import type { CallOutcome, ExecuteInput, Relay, WatchInput } from '../machines/logics.js';
import type { Decision, RunRecord } from '../records.js';

/** What delegation needs of the engine: the same doors that everybody uses. */
export type DelegationPort = {
  start(start: StartRequest & { run_id: string }): Promise<unknown>;
  decide(run_id: string, decisions: Decision[]): Promise<unknown>;
  cancel(run_id: string, detail: string): Promise<unknown>;
  readRun(run_id: string): Promise<RunRecord | undefined>;
  readEvents(run_id: string, after: number): Promise<EventReader>;
  /** The last thing the run said, if it said anything. */
  responseOf(run: RunRecord): Promise<string | null>;
};

const schemas = {
  agent_run: z.object({
    agent_id: z.string().describe('the agent to ask'),
    prompt: z.string().describe('what it is to do, with all it needs to know'),
    background: z.boolean().optional().describe('do not wait for its answer; you are told when it ends'),
  }),
  agent_output: z.object({ run_id: z.string() }),
  agent_stop: z.object({ run_id: z.string() }),
  agent_handoff: z.object({ agent_id: z.string().describe('the agent that goes on in your place') }),
};
type Name = keyof typeof schemas;

const descriptions: Record<Name, string> = {
  agent_run: 'Gives a task to another agent and returns its answer.',
  agent_output: 'Returns how far a background run is and what it has answered.',
  agent_stop: 'Stops a background run.',
  agent_handoff: 'Lets another agent go on with this conversation.',
};

export const isDelegation = (agent: Agent, name: string): name is Name =>
  (agent.delegates?.length ?? 0) > 0 && Object.hasOwn(schemas, name);

/** The delegation tools that an agent's model is offered. Their work is done by `performDelegation`. */
export const delegationTools = (agent: Agent): Tool[] =>
  (agent.delegates?.length ?? 0) === 0
    ? []
    : (Object.keys(schemas) as Name[]).map((name) => ({
        name,
        description: `${descriptions[name]} Agents: ${agent.delegates.join(', ')}.`,
        parameters: z.toJSONSchema(schemas[name]) as JsonObject,
        effect: 'idempotent',
        timeout_ms: Infinity,
        validate(args) {
          const parsed = schemas[name].safeParse(args);
          if (!parsed.success) return { ok: false, error: z.prettifyError(parsed.error) };
          const { agent_id } = parsed.data as { agent_id?: string };
          return agent_id === undefined || agent.delegates.includes(agent_id)
            ? { ok: true, value: parsed.data }
            : { ok: false, error: `you cannot delegate to ${agent_id}; you can to ${agent.delegates.join(', ')}` };
        },
        execute: () => null,
      }));

const failed = (error: string): CallOutcome => ({ outcome: 'failed', error });

/** Carries out one delegation call of `parent`. */
export async function performDelegation(
  input: ExecuteInput,
  parent: RunRecord,
  { signal }: EffectContext,
  port: DelegationPort,
): Promise<CallOutcome> {
  switch (input.name as Name) {
    case 'agent_handoff': {
      const { agent_id } = schemas.agent_handoff.parse(input.arguments);
      return { outcome: 'handed_off', agent_id, result: { handed_off_to: agent_id } };
    }
    case 'agent_output': {
      const run = await ownChild(schemas.agent_output.parse(input.arguments).run_id, parent, port);
      return run ? { outcome: 'succeeded', result: await outputOf(run, port) } : failed('you have no such run');
    }
    case 'agent_stop': {
      const run = await ownChild(schemas.agent_stop.parse(input.arguments).run_id, parent, port);
      if (!run) return failed('you have no such run');
      await stop(run.run_id, port);
      return { outcome: 'succeeded', result: { run_id: run.run_id, status: 'cancel_requested' } };
    }
    case 'agent_run':
      return runChild(input, parent, signal, port);
  }
}

async function runChild(
  input: ExecuteInput,
  parent: RunRecord,
  signal: AbortSignal,
  port: DelegationPort,
): Promise<CallOutcome> {
  const { agent_id, prompt, background = false } = schemas.agent_run.parse(input.arguments);
  const run_id = derivedId(parent.run_id, input.call_id, 'child run');
  if (!(await port.readRun(run_id))) {
    if (input.child === run_id) return failed('the run ended cancelled: the thread was deleted');
    const child: StartRequest & { run_id: string } = {
      agent_id,
      run_id,
      thread_id: derivedId(parent.run_id, input.call_id, 'child thread'),
      parent_run_id: parent.run_id,
      parent_thread_id: parent.thread_id,
      origin: 'subagent',
      messages: [{ role: 'user', content: prompt }],
      on_busy: 'enqueue',
      ...(parent.resource_id === null ? {} : { resource_id: parent.resource_id }),
      ...(background ? { notify: { thread_id: parent.thread_id, agent_id: parent.agent_id } } : {}),
    };
    await port.start(child).catch((error: unknown) => {
      if (!hasCode(error, ErrorCode.conflict)) throw error;
    });
  }
  if (background) return { outcome: 'succeeded', result: { run_id, status: 'started' } };
  if (input.answer?.relay.run_id === run_id) await carryAnswer(input.answer, port);
  return followChild(run_id, signal, port);
}

/** The child may have been answered, or have ended, meanwhile. */
async function carryAnswer(
  { relay, decision }: NonNullable<ExecuteInput['answer']>,
  port: DelegationPort,
): Promise<void> {
  await port.decide(relay.run_id, [{ ...decision, target_id: relay.target_id }]).catch((error: unknown) => {
    if (!hasCode(error, ErrorCode.runNotActive)) throw error;
  });
}

/** Waits until the child has ended or asks something. When the parent's call is stopped, the child is. */
async function followChild(run_id: string, signal: AbortSignal, port: DelegationPort): Promise<CallOutcome> {
  const onAbort = () => void stop(run_id, port).catch(() => {});
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const reader = await port.readEvents(run_id, -1);
  try {
    let asks: Suspension | undefined;
    for (let slice = await reader.next(); slice; slice = await reader.next()) {
      for (const event of canonicalEvents(slice.chunk, reader.run, slice.from)) {
        if (event.type === 'run_waiting') asks = event.data.pending[0];
        if (event.type === 'run_resumed') asks = undefined;
        if (event.type === 'run_finish') return ended(event.data, signal);
      }
      if (asks && reader.caughtUp) return relayed(run_id, asks);
    }
    throw new Error('the server is stopping');
  } finally {
    reader.close();
    signal.removeEventListener('abort', onAbort);
  }
}

const relayed = (run_id: string, asks: Suspension): CallOutcome => ({
  outcome: 'relayed',
  relay: { run_id, target_id: asks.tool_call_id, kind: asks.kind },
  message: `${asks.name}: ${asks.message}`,
  ...(asks.response_schema === undefined ? {} : { response_schema: asks.response_schema }),
});

function ended(
  {
    termination,
    result,
  }: { termination: { code: string; detail: string | null }; result: { response: string } | null },
  signal: AbortSignal,
): CallOutcome {
  if (signal.aborted) return { outcome: 'aborted' };
  if (result) return { outcome: 'succeeded', result: result.response };
  return failed(`the run ended ${termination.code}${termination.detail === null ? '' : `: ${termination.detail}`}`);
}

async function stop(run_id: string, port: DelegationPort): Promise<void> {
  await port.cancel(run_id, 'stopped by the run that asked for it').catch((error: unknown) => {
    if (!(
      error instanceof AgentServerError && [ErrorCode.runNotActive, ErrorCode.runNotFound].includes(error.code as never)
    ))
      throw error;
  });
}

async function ownChild(run_id: string, parent: RunRecord, port: DelegationPort): Promise<RunRecord | undefined> {
  const run = await port.readRun(run_id);
  return run?.parent_thread_id === parent.thread_id ? run : undefined;
}

const outputOf = async (run: RunRecord, port: DelegationPort): Promise<JsonValue> => ({
  run_id: run.run_id,
  status: run.status,
  termination_code: run.termination_code,
  response: await port.responseOf(run),
});

/** Performs `watch`: ends when the child's question is no longer open. */
export const watchPerformer = (port: DelegationPort): Performer => ({
  async perform(input, { signal }) {
    const { relay } = input as WatchInput;
    const reader = await readerOf(relay.run_id, port);
    if (!reader) return null;
    const close = () => reader.close();
    signal.addEventListener('abort', close, { once: true });
    try {
      await untilAnswered(relay, reader);
      return null;
    } finally {
      signal.removeEventListener('abort', close);
      reader.close();
    }
  },
  toFault: (error) => ({ message: String(error) }),
});

/** The log of a child; none when its thread was deleted. */
async function readerOf(run_id: string, port: DelegationPort): Promise<EventReader | undefined> {
  return port.readEvents(run_id, -1).catch((error: unknown) => {
    if (!hasCode(error, ErrorCode.runNotFound)) throw error;
    return undefined;
  });
}

async function untilAnswered(relay: Relay, reader: EventReader): Promise<void> {
  let asked = 0;
  for (let slice = await reader.next(); slice; slice = await reader.next()) {
    for (const event of canonicalEvents(slice.chunk, reader.run, slice.from)) {
      if (event.type === 'run_waiting' && event.data.pending.some((s) => s.tool_call_id === relay.target_id)) asked++;
      if (event.type === 'tool_call_resumed' && event.data.target_id === relay.target_id) asked = 0;
      if (event.type === 'run_finish') return;
    }
    if (asked === 0 && reader.caughtUp) return;
  }
}
