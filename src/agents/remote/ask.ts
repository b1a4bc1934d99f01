/**
 * One step of a run at a remote agent: tells it what is new, follows its task, and goes on following it over broken
 * connections, restarts of the remote and restarts of this server, until the task has ended or asks something.
 *
 * A remote that cannot be reached to begin with is the run's to retry, as a model is. Once the message may have arrived
 * the connection is made anew here, with growing pauses, for as long as the agent's timeout allows; what was told is not
 * told again (`transcript.ts`). A message that may have arrived is sent again only to a remote that takes messages once;
 * of any other a person is asked (`doubt.ts`). When the run wants no more of it before the remote has named the task, that name is still
 * awaited for a moment, so that the task can be stopped and does not go on unknown to everybody.
 */

import type { StreamResponse } from '@a2a-js/sdk';
import { InferenceError, type InferenceOutcome, type ModelEvent } from '../model-call.js';
import { MAX_DELAY } from '../timer.js';
import { abortError } from '../watch.js';
import { BackOff } from './back-off.js';
import { doubtCall, settled } from './doubt.js';
import { faultOf, type Fault } from './faults.js';
import { find, follow, send, type Attempt } from './follow.js';
import type { Line, Link } from './link.js';
import { toTrace } from './memory.js';
import { outgoing, type Outgoing } from './outgoing.js';
import { eventsOf, questionCall } from './question.js';
import { Reading } from './reading.js';
import { Rewritten } from './transcript.js';
import type { RemoteRequest, RemoteTask } from './types.js';

export type AskOptions = {
  link: Link;
  /** How traces name the remote. */
  remote: string;
  /** Milliseconds one step may take. */
  timeout_ms: number;
  /** A message may be sent again; undefined: as the remote's card says. */
  idempotent: boolean | undefined;
  /** Waits; rejects with the signal's reason when it fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  cancel(task: RemoteTask): Promise<void>;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
/** How long a run that has ended waits for the name of the task it leaves behind. */
const LINGER_MS = 10_000;

/** `RemoteAgent.ask`. */
export async function ask(request: RemoteRequest, options: AskOptions): Promise<InferenceOutcome> {
  const { signal } = request;
  if (signal.aborted) throw abortError(signal);
  const { history, verdict } = settled(request.history);
  if (verdict.is === 'given up') throw new InferenceError(verdict.why, false);
  if (verdict.is === 'answered') return answered(verdict.text, request);
  const step = new Step({ ...request, history }, options);
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(abortError(signal)), { once: true });
  });
  return Promise.race([step.run(), stopped]);
}

/** Somebody else knew the answer: it is said here, and nothing is sent. */
async function answered(text: string, { append }: RemoteRequest): Promise<InferenceOutcome> {
  if (text !== '') await append([['text_delta', { delta: text }]]);
  return { ...unspent, text, calls: [], finish_reason: 'stop', model: 'a2a', duration_ms: 0 };
}

const unspent = { usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } };

/** `declined`: it was not taken in, so it may be sent · `sent`: nothing has come back, so nobody knows whether it arrived. */
type Delivery = 'unsent' | 'declined' | 'sent' | 'arrived';

class Step {
  readonly #began = performance.now();
  readonly #plan: Outgoing;
  readonly #reading: Reading;
  readonly #backOff = new BackOff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  /** Ends whatever this step is doing. */
  readonly #over = new AbortController();
  #task: RemoteTask | null;
  #delivery: Delivery;
  /** The remote's own name, from its card. */
  #name = '';

  constructor(
    private readonly request: RemoteRequest,
    private readonly options: AskOptions,
  ) {
    this.#plan = outgoing(request, options.remote);
    this.#reading = new Reading(this.#plan.answers);
    this.#task = request.known;
    this.#delivery = request.known ? 'arrived' : request.resumed ? 'sent' : 'unsent';
  }

  async run(): Promise<InferenceOutcome> {
    const { signal } = this.request;
    const { timeout_ms } = this.options;
    const tooLate = new InferenceError(`the remote agent took longer than ${timeout_ms / 1000} s`, false);
    const timer = setTimeout(() => this.#over.abort(tooLate), timeout_ms);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    try {
      return await this.#untilSettled();
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', this.#onAbort);
    }
  }

  async #untilSettled(): Promise<InferenceOutcome> {
    for (;;) {
      const fault = await this.#attempt();
      if (fault === 'in doubt') return this.#doubt();
      const { standing } = this.#reading;
      if (standing.is === 'failed') throw new InferenceError(standing.why, false);
      if (standing.is !== 'open') return this.#outcome();
      if (fault) this.#giveUpOrGoOn(fault);
      await this.options.wait(this.#backOff.next(fault?.retry_after_ms), this.#over.signal);
    }
  }

  #giveUpOrGoOn({ is, why, retry_after_ms }: Fault): void {
    if (is === 'gone' || is === 'refused') throw new InferenceError(why, false);
    this.options.link.drop();
    if (this.#delivery === 'unsent') throw new InferenceError(why, true, retry_after_ms);
  }

  /** Reads one connection to its end; the answer is what broke it, if it did not end by itself. */
  async #attempt(): Promise<Fault | 'in doubt' | undefined> {
    const before = this.#delivery;
    const connection = new AbortController();
    const timer = setTimeout(() => connection.abort(), Math.min(this.request.idle_timeout_ms, MAX_DELAY));
    const signal = AbortSignal.any([this.#over.signal, connection.signal]);
    try {
      const line = await this.options.link.open();
      this.#name = line.name;
      for await (const item of this.#stream(line, signal)) {
        timer.refresh();
        await this.#tell(this.#reading.take(item));
        if (this.#reading.standing.is !== 'open') break;
      }
      return undefined;
    } catch (error) {
      this.#over.signal.throwIfAborted();
      if (error instanceof Rewritten) throw new InferenceError(error.message, true);
      if (error instanceof NotTaken) throw error.reason;
      if (error instanceof InDoubt) return 'in doubt';
      const fault = faultOf(error);
      if (fault.untold && this.#delivery === 'sent' && before !== 'sent') this.#delivery = 'declined';
      return fault;
    } finally {
      clearTimeout(timer);
      connection.abort();
    }
  }

  async *#stream(line: Line, signal: AbortSignal): AsyncGenerator<StreamResponse> {
    const attempt: Attempt = { line, plan: this.#plan, message_id: this.request.message_id, signal };
    if (this.#delivery === 'sent') {
      const found = await find(attempt);
      const mayRepeat = found === 'absent' || (this.options.idempotent ?? line.once);
      if (typeof found === 'object') this.#note(found);
      else if (!mayRepeat) throw new InDoubt();
    }
    if (this.#task) {
      yield* follow(attempt, this.#task);
      return;
    }
    this.#delivery = 'sent';
    yield* send(attempt);
  }

  async #tell(events: ModelEvent[]): Promise<void> {
    this.#note(this.#reading.task);
    if (this.request.signal.aborted) return this.#abandon();
    if (events.length === 0) return;
    this.#backOff.heard();
    await this.request.append(events).catch((error: unknown) => {
      throw new NotTaken(error);
    });
  }

  /** The remote has spoken, and may have named the task. */
  #note(task: RemoteTask | undefined): void {
    if (this.#reading.standing.is !== 'open' || task) this.#delivery = 'arrived';
    if (!task || this.#task) return;
    this.#task = task;
    if (!this.request.signal.aborted) this.request.begun(task);
  }

  /** The run has ended and nobody else knows of this task. */
  async #abandon(): Promise<void> {
    if (this.#task && this.request.isUnwanted()) await this.options.cancel(this.#task).catch(() => {});
    this.#over.abort(abortError(this.request.signal));
    this.#over.signal.throwIfAborted();
  }

  readonly #onAbort = (): void => {
    const end = () => this.#over.abort(abortError(this.request.signal));
    if (this.#delivery !== 'sent' || !this.request.isUnwanted()) return end();
    setTimeout(end, LINGER_MS).unref();
  };

  async #doubt(): Promise<InferenceOutcome> {
    const call = doubtCall(this.#plan.parts);
    await this.request.append(eventsOf(call));
    const { model, duration_ms } = this.#facts();
    return { ...unspent, text: '', calls: [call], finish_reason: 'tool-calls', model, duration_ms };
  }

  #facts(): Pick<InferenceOutcome, 'model' | 'duration_ms'> {
    return { model: `a2a:${this.#name}`, duration_ms: Math.round(performance.now() - this.#began) };
  }

  async #outcome(): Promise<InferenceOutcome> {
    const { standing, spent, text, told, counted } = this.#reading;
    const question = standing.is === 'asks' ? standing.message : undefined;
    const calls = standing.is === 'asks' ? [questionCall(question)] : [];
    await this.request.append(calls.flatMap(eventsOf));
    return {
      text,
      calls,
      finish_reason: standing.is === 'asks' ? 'tool-calls' : 'stop',
      ...this.#facts(),
      usage: { ...spent, total_tokens: spent.input_tokens + spent.output_tokens },
      trace: toTrace(this.options.remote, text, {
        conversation: this.request.conversation,
        context_id: this.#task?.context_id || this.#plan.context_id,
        ...(standing.is === 'asks'
          ? { task_id: this.#task?.task_id ?? null, question: question?.messageId ?? null, told, counted }
          : { task_id: null, question: null, told: {}, counted: { input_tokens: 0, output_tokens: 0 } }),
      }),
    };
  }
}

/** The message may have arrived, and must not be sent again without a word. */
class InDoubt extends Error {}

/** What `append` rejected with is the caller's own and goes back to it unchanged. */
class NotTaken extends Error {
  constructor(readonly reason: unknown) {
    super('the events were not taken');
  }
}
