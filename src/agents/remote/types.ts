/**
 * An agent that lives elsewhere and is reached over A2A, as the runtime sees it.
 *
 * One step of a run here is one message there. What the runtime keeps of it is a `RemoteTask`, noted durably as soon as the
 * remote has named it: a step that is asked again finds its task instead of beginning another.
 */

import type { Append, HistoryMessage, InferenceOutcome, ModelEvent } from '../model-call.js';

/** A task by the remote's own ids. */
export type RemoteTask = { task_id: string; context_id: string };

export type RemoteRequest = {
  /** The same for every attempt of a step, different for every other step: the remote tells repetitions by it. */
  message_id: string;
  /**
   * The conversation these messages belong to: stands for our thread, and changes when the thread is cut, since the remote
   * remembers what was cut.
   */
  conversation: string;
  /** Index of the step within the run. */
  step: number;
  /** The thread's messages up to now, in order. */
  history: readonly HistoryMessage[];
  /** What the run's start wants told and not kept. */
  context: readonly string[];
  /** The task this step has become, if an earlier attempt learned of it. */
  known: RemoteTask | null;
  /** An earlier attempt of this step may have sent the message. */
  resumed: boolean;
  /** Milliseconds of silence after which the connection is made anew. */
  idle_timeout_ms: number;
  signal: AbortSignal;
  /** Asked once the signal has fired: the run wants no more of it (as against: the server is stopping). */
  isUnwanted(): boolean;
  append: Append<ModelEvent>;
  /** The remote has named the step's task. Called before any event of it is appended. */
  begun(task: RemoteTask): void;
};

export type RemoteAgent = {
  /**
   * Asks the remote and follows its task to its end or to its question, over whatever breaks in between. The question is
   * a call of the tool `remote_input`. Rejects as `infer` does: `AbortError`, `InferenceError`, what `append` rejects with.
   */
  ask(request: RemoteRequest): Promise<InferenceOutcome>;
  /** Stops a task. Resolves when it is not running any more; rejects with an `InferenceError` when nobody can tell. */
  cancel(task: RemoteTask, signal?: AbortSignal): Promise<void>;
  /** Why it will fail as things are now (a key that is not set), for the log at start. */
  warning(): string | undefined;
};

/** What the remote's answer was, kept with the assistant message (`ProviderTrace`), so that the next step can go on. */
export type RemoteMemory = {
  conversation: string;
  /** The remote's id of the conversation; it may have taken ours or not. */
  context_id: string;
  task_id: string | null;
  /** Id of the message with the question that the step ended with. */
  question: string | null;
  /** Characters of each artifact of the task that are told. */
  told: { [artifact: string]: number };
  /** Tokens of the task that are counted. */
  counted: { input_tokens: number; output_tokens: number };
};
