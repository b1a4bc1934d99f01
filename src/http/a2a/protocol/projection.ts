/**
 * The task of a run, as the protocol shows it. What the agent has said is its artifacts, one a message; the history is
 * what was said in the task by both, as far as it is whole.
 */

import { Role, type Artifact, type Message, type Task } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Engine } from '../../../actors/engine.js';
import type { TerminationCode } from '../../../actors/events.js';
import type { Message as StoredMessage, RunRecord } from '../../../actors/records.js';
import type { JsonObject } from '../../../json.js';
import { answerArtifact, endMessage, timestamp } from './events.js';
import { messageOf, textPart } from './messages.js';
import { snapshotOf, type Snapshot, type Status } from './snapshot.js';
import { stateOf } from './states.js';

export type Wanted = {
  /** The newest messages; undefined: all of them. */
  history_length: number | undefined;
  artifacts: boolean;
};

/** Throws `RequestMalformedError` for a length that is none. */
export function historyLength(given: number | undefined): number | undefined {
  if (given === undefined || (Number.isSafeInteger(given) && given >= 0)) return given;
  throw new RequestMalformedError('historyLength: expected an integer of at least 0');
}

/** The task as it stands. */
export async function taskOf(engine: Engine, run: RunRecord, wanted: Wanted): Promise<Task> {
  if (run.status !== 'done') {
    const task = await taskAsOf(engine, run, await snapshotOf(engine, run.run_id), wanted.history_length);
    return wanted.artifacts ? task : { ...task, artifacts: [] };
  }
  const needed = wanted.artifacts || wanted.history_length !== 0;
  const messages = needed ? await messagesOf(engine, run) : [];
  const artifacts = wanted.artifacts
    ? messages.filter(isAnswer).map(({ id, content }) => answerArtifact(id, content))
    : [];
  return assemble(run, statusOfEnded(run), artifacts, history(messages, run, wanted.history_length));
}

/** The task as of an event of its log. */
export async function taskAsOf(
  engine: Engine,
  run: RunRecord,
  { status, said }: Snapshot,
  history_length: number | undefined,
): Promise<Task> {
  const artifacts = said
    .filter(({ text }) => text !== '')
    .map(({ message_id, text }) => answerArtifact(message_id, text));
  const whole = new Set(said.filter((one) => one.whole).map(({ message_id }) => message_id));
  const messages = history_length === 0 ? [] : await messagesOf(engine, run);
  const known = messages.filter(({ role, id }) => role !== 'assistant' || whole.has(id));
  return assemble(run, status, artifacts, history(known, run, history_length));
}

const messagesOf = async (engine: Engine, { thread_id, run_id }: RunRecord): Promise<StoredMessage[]> =>
  (await engine.read({ kind: 'messages', thread_id, run_id, visibility: 'public' })) ?? [];

const isAnswer = ({ role, content }: StoredMessage): boolean => role === 'assistant' && content !== '';

function history(messages: readonly StoredMessage[], run: RunRecord, length: number | undefined): Message[] {
  const spoken = messages
    .filter((message) => isAnswer(message) || message.role === 'user' || message.role === 'system')
    .map(({ id, role, content }) =>
      messageOf(role === 'assistant' ? Role.ROLE_AGENT : Role.ROLE_USER, id, run, [textPart(content)]),
    );
  return length === undefined ? spoken : spoken.slice(Math.max(spoken.length - length, 0));
}

function statusOfEnded(run: RunRecord): Status {
  const end = { code: run.termination_code as TerminationCode, detail: run.termination_detail };
  return { state: stateOf(run), message: endMessage(run, end), timestamp: timestamp(run.updated_at) };
}

const assemble = (run: RunRecord, status: Status, artifacts: Artifact[], history: Message[]): Task => ({
  id: run.run_id,
  contextId: run.thread_id,
  status,
  artifacts,
  history,
  metadata: metadataOf(run),
});

/** What its client said about the task, and once it has ended, what it took; a stream tells that with the end. */
export function metadataOf({ metadata, status, input_tokens, output_tokens }: RunRecord): JsonObject | undefined {
  if (status !== 'done') return metadata ?? undefined;
  return { usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens }, ...metadata };
}
