/**
 * What a message becomes: a new task, or decisions of one that waits (CONTRACT-PROTOCOLS 8.3).
 *
 * A message is accepted once. Its task has an id that follows from the caller, the agent, the context and the message's
 * id, and so has the context that it begins when it names none; its decisions have ids of the same making. So a client
 * that sends it again, because it lost the answer or itself, meets what it began before, also after a crash of the server,
 * and whether or not it has learned its context by then.
 */

import { Role, type Message, type SendMessageRequest } from '@a2a-js/sdk';
import { RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { derivedId } from '../../../actors/derived-id.js';
import type { Engine, Principal, StartRequest } from '../../../actors/engine.js';
import type { PushConfig } from '../../../actors/push/types.js';
import { RunOrigin, type RunRecord } from '../../../actors/records.js';
import { bodyHash } from '../../body-hash.js';
import { idFault } from '../../validation.js';
import { taskRun } from '../tasks.js';
import { decisionsIn } from './answers.js';
import { textOf } from './messages.js';
import { snapshotOf, type Snapshot } from './snapshot.js';
import { isTerminal } from './states.js';

type Sender = { engine: Engine; agent_id: string; principal: Principal };

/** The task of a message. `push`: who is told of it from now on. */
export async function accept(sender: Sender, request: SendMessageRequest, push?: PushConfig): Promise<RunRecord> {
  const message = wellFormed(request.message);
  return message.taskId === '' ? begin(sender, message, request, push) : answer(sender, message, push);
}

function wellFormed(message: Message | undefined): Message {
  if (!message) throw new RequestMalformedError('message: required');
  const { role, parts } = message;
  const ids = {
    messageId: message.messageId.trim(),
    contextId: message.contextId.trim(),
    taskId: message.taskId.trim(),
  };
  for (const [name, id] of Object.entries(ids)) {
    const fault = name === 'messageId' && id === '' ? 'cannot be empty' : idFault(id);
    if (fault) throw new RequestMalformedError(`message.${name}: ${fault}`);
  }
  if (role !== Role.ROLE_USER && role !== Role.ROLE_UNSPECIFIED)
    throw new RequestMalformedError('message.role: expected the role of a user');
  if (parts.length === 0) throw new RequestMalformedError('message.parts: cannot be empty');
  return { ...message, ...ids };
}

async function begin(
  { engine, agent_id, principal }: Sender,
  { messageId, contextId, parts, metadata }: Message,
  request: SendMessageRequest,
  push: PushConfig | undefined,
): Promise<RunRecord> {
  const content = textOf(parts);
  const thread_id = contextId || derivedId('a2a context', principal.id, agent_id, messageId);
  const run_id = derivedId('a2a task', principal.id, agent_id, thread_id, messageId);
  const claim = await engine.claimRun(run_id, bodyHash({ surface: 'a2a', agent_id, content }, principal.id));
  if (!claim.claimed) {
    const run = claim.same_body ? await engine.read({ kind: 'run', run_id }) : undefined;
    if (run) return run;
    throw new RequestMalformedError(`message.messageId: another message of this context has it: ${messageId}`);
  }
  const given = { ...request.metadata, ...metadata };
  const start: StartRequest = {
    agent_id,
    thread_id,
    run_id,
    origin: RunOrigin.a2a,
    messages: [{ role: 'user', content, id: messageId }],
    on_busy: { default: 'enqueue' },
    ...(push ? { push } : {}),
    ...(Object.keys(given).length > 0 ? { metadata: given } : {}),
  };
  return (await engine.deliver({ type: 'start', start }, principal)).run;
}

async function answer(
  { engine, agent_id, principal }: Sender,
  message: Message,
  push: PushConfig | undefined,
): Promise<RunRecord> {
  const { messageId, contextId, taskId } = message;
  const run = await taskRun(engine, agent_id, taskId);
  const { run_id, thread_id } = run;
  if (contextId !== '' && contextId !== thread_id)
    throw new RequestMalformedError(`message.contextId: task ${taskId} is in another context`);
  const idOf = (call_id: string): string => derivedId('a2a decision', principal.id, run_id, messageId, call_id);
  const snapshot = await snapshotOf(engine, run_id);
  if (isAnswered(snapshot, idOf)) return run;
  if (snapshot.asked.size === 0) throw notAsking(run_id, snapshot);
  if (push) await engine.deliver({ type: 'set_push', run_id, config: push }, principal);
  const decisions = decisionsIn(message, [...snapshot.asked.values()], idOf);
  return (await engine.deliver({ type: 'decide', run_id, decisions }, principal)).run;
}

/** The task has taken decisions of this very message. */
const isAnswered = ({ decided }: Snapshot, idOf: (call_id: string) => string): boolean =>
  [...decided].some(([decision_id, call_id]) => idOf(call_id) === decision_id);

const notAsking = (run_id: string, { status }: Snapshot): UnsupportedOperationError =>
  new UnsupportedOperationError(
    isTerminal(status.state)
      ? `task ${run_id} has ended and takes no more messages; send them with its contextId alone`
      : `task ${run_id} takes no message before it asks for input; send it with its contextId alone to follow the task`,
  );
