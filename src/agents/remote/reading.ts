/**
 * The fold from what a remote sends (a task, its updates, or a bare message) to our events, and to where its task stands.
 * No I/O. Pieces may come twice (`transcript.ts`).
 *
 * Artifacts are the answer, told as text. What an agent says of its work while it is under way is no part of the answer:
 * it is told as reasoning, once a message. The message a task ends with is told when the artifacts have not said it.
 */

import {
  Role,
  TaskState,
  type Artifact,
  type Message,
  type StreamResponse,
  type Task,
  type TaskStatus,
} from '@a2a-js/sdk';
import type { ModelEvent } from '../model-call.js';
import { textOf, wordsOf } from './parts.js';
import { Transcript, type Piece } from './transcript.js';
import type { RemoteMemory, RemoteTask } from './types.js';

/** Where the remote's task stands. */
export type Standing =
  | { is: 'open' }
  | { is: 'ended' }
  /** It waits for an answer. */
  | { is: 'asks'; message: Message | undefined }
  | { is: 'failed'; why: string };

type Tokens = RemoteMemory['counted'];

export class Reading {
  #standing: Standing = { is: 'open' };
  #task: RemoteTask | undefined;
  #counted: Tokens;
  readonly #before: Tokens;
  readonly #transcript: Transcript;
  /** Ids of messages that are told or need not be: the question that was answered among them. */
  readonly #heard = new Set<string>();

  /** `memory`: what the step before left of the same task. */
  constructor(memory?: RemoteMemory) {
    this.#transcript = new Transcript(memory?.told);
    this.#before = this.#counted = memory?.counted ?? { input_tokens: 0, output_tokens: 0 };
    if (memory?.question) this.#heard.add(memory.question);
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** The task, as soon as the remote has named it; a remote may also answer without one. */
  get task(): RemoteTask | undefined {
    return this.#task;
  }

  get text(): string {
    return this.#transcript.text;
  }

  get told(): RemoteMemory['told'] {
    return this.#transcript.told;
  }

  /** Tokens of the whole task. */
  get counted(): Tokens {
    return this.#counted;
  }

  /** Tokens of this step. */
  get spent(): Tokens {
    return {
      input_tokens: Math.max(this.#counted.input_tokens - this.#before.input_tokens, 0),
      output_tokens: Math.max(this.#counted.output_tokens - this.#before.output_tokens, 0),
    };
  }

  /** Takes one item of a stream; the answer is what is to be told. Throws `Rewritten`. */
  take({ payload }: StreamResponse): ModelEvent[] {
    switch (payload?.$case) {
      case 'message':
        this.#standing = { is: 'ended' };
        return this.#say(`message ${payload.value.messageId}`, 'begin', textOf(payload.value.parts));
      case 'task':
        return this.#takeTask(payload.value);
      case 'artifactUpdate': {
        const { taskId, contextId, artifact, append } = payload.value;
        this.#name(taskId, contextId);
        return this.#takeArtifact(artifact, append ? 'append' : 'begin');
      }
      case 'statusUpdate': {
        const { taskId, contextId, status, metadata } = payload.value;
        this.#name(taskId, contextId);
        this.#count(metadata);
        return this.#takeStatus(status);
      }
      default:
        return [];
    }
  }

  #takeTask({ id, contextId, artifacts, status, history, metadata }: Task): ModelEvent[] {
    this.#name(id, contextId);
    this.#count(metadata);
    const events = (artifacts ?? []).flatMap((artifact) => this.#takeArtifact(artifact, 'begin'));
    events.push(...this.#takeStatus(status));
    // An agent that makes no artifacts has answered by its last word.
    if (this.#standing.is !== 'ended' || this.text !== '') return events;
    const last = (history ?? []).findLast(({ role }) => role === Role.ROLE_AGENT);
    if (last && !this.#heard.has(last.messageId)) events.push(...this.#sayMessage(last));
    return events;
  }

  #takeArtifact(artifact: Artifact | undefined, piece: Piece): ModelEvent[] {
    return artifact ? this.#say(artifact.artifactId, piece, textOf(artifact.parts)) : [];
  }

  #takeStatus(status: TaskStatus | undefined): ModelEvent[] {
    const message = status?.message;
    switch (status?.state) {
      case TaskState.TASK_STATE_COMPLETED:
        this.#standing = { is: 'ended' };
        return message && !this.#hasSaid(textOf(message.parts)) ? this.#sayMessage(message) : [];
      case TaskState.TASK_STATE_INPUT_REQUIRED:
      case TaskState.TASK_STATE_AUTH_REQUIRED:
        // The question that this step answers may be seen until the remote has taken the answer in.
        if (!message || !this.#heard.has(message.messageId)) this.#standing = { is: 'asks', message };
        return [];
      case TaskState.TASK_STATE_FAILED:
        return this.#fail('the remote agent failed', message);
      case TaskState.TASK_STATE_REJECTED:
        return this.#fail('the remote agent rejected the task', message);
      case TaskState.TASK_STATE_CANCELED:
        return this.#fail('the task was cancelled at the remote agent', message);
      default:
        return message ? this.#think(message) : [];
    }
  }

  #fail(what: string, message: Message | undefined): ModelEvent[] {
    const said = wordsOf(message?.parts);
    this.#standing = { is: 'failed', why: said === '' ? what : `${what}: ${said}` };
    return [];
  }

  #think(message: Message): ModelEvent[] {
    const delta = wordsOf(message.parts);
    if (delta === '' || this.#heard.has(message.messageId)) return [];
    this.#heard.add(message.messageId);
    return [['reasoning_delta', { delta: `${delta}\n` }]];
  }

  #sayMessage(message: Message): ModelEvent[] {
    return this.#say(`message ${message.messageId}`, 'begin', textOf(message.parts));
  }

  #say(id: string, piece: Piece, text: string): ModelEvent[] {
    const delta = this.#transcript.take(id, piece, text);
    return delta === '' ? [] : [['text_delta', { delta }]];
  }

  #hasSaid(text: string): boolean {
    return this.text.trimEnd().endsWith(text.trim());
  }

  #name(task_id: string, context_id: string): void {
    if (task_id !== '') this.#task ??= { task_id, context_id };
  }

  /** A2A has no word for usage; agents that tell it do so in the metadata, counting the whole task. */
  #count(metadata: Record<string, unknown> | undefined): void {
    const usage = metadata?.['usage'];
    if (typeof usage !== 'object' || usage === null) return;
    const { input_tokens, output_tokens } = usage as Record<string, unknown>;
    if (isCount(input_tokens) && isCount(output_tokens)) this.#counted = { input_tokens, output_tokens };
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
