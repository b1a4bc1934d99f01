/**
 * A client that does not give up: it starts one run and reads its stream to the end over any number of deaths of the
 * server, as a good client would (the same start again until it was acknowledged, `Last-Event-ID` from then on).
 *
 * It keeps every frame it has received, and in which boot of the server. What the server may not answer is a fault, kept
 * as a sentence.
 */

import { ask, readFrames, type StreamEnd } from './wire.js';
import { parseFrame } from './log-rules.js';

/** What a client does with a run that is in doubt. */
export type Verdict = 'cancel the run' | 'retry' | 'it happened' | 'it did not happen';

export type RunPlan = {
  run_id: string;
  thread_id: string;
  agent_id: string;
  text: string;
  on_busy: 'interrupt' | 'enqueue';
  /** Others use the thread too, so the run may be superseded. */
  shared: boolean;
  /** Cancels the run when it has received so many frames; null: never. */
  cancel_after: number | null;
  verdict: Verdict;
  /** Boots a run that waits is left waiting, to see that it still does after a restart. */
  patience: number;
  /** How it resumes: by the same start again, or by the run's events. */
  resume: 'start' | 'events';
};

/** One life of the server process. */
export type Boot = {
  url: string;
  number: number;
  /** Whoever waits gets its verdict now. */
  draining: boolean;
  /** It was told to stop: it may refuse everything and end streams anywhere behind a whole frame. */
  stopping: boolean;
};

/**
 * `new`: nothing shows that the server has it. `open`: it was acknowledged. `waiting`: its last event is `run_waiting`.
 * `over`: `run_finish` was received.
 */
export type Standing = 'new' | 'open' | 'waiting' | 'over';

export class WatchedRun {
  standing: Standing = 'new';
  readonly frames: string[] = [];
  /** In which boot each frame came. */
  readonly boots: number[] = [];
  readonly faults: string[] = [];
  /** The start was sent at least once. */
  asked = false;
  /** Streams that went on behind a frame received before. */
  resumes = 0;
  /** The cancel was sent, and whether it was acknowledged: then the run has to end so. */
  cancel: 'none' | 'sent' | 'acknowledged' = 'none';
  #pending: string[] = [];
  #waitingSince = 0;

  constructor(readonly plan: RunPlan) {}

  get body(): object {
    const { run_id, thread_id, agent_id, text, on_busy } = this.plan;
    const messages = [{ role: 'user', content: `${text} from ${run_id}` }];
    return { runId: run_id, threadId: thread_id, agentId: agent_id, on_busy, messages };
  }

  /** Reads on until the run is over or the server is gone. */
  async attend(boot: Boot): Promise<void> {
    if (this.standing === 'waiting' && boot.number - this.#waitingSince >= this.plan.patience) void this.#decide(boot);
    for (;;) {
      const before = this.frames.length;
      const end = await this.#stream(boot);
      if (end.how === 'unreached' || end.how === 'cut') return;
      if (end.how === 'refused') return this.#refused(boot, `was answered ${end.status} ${end.body}`);
      if (end.rest !== '') this.#fault(`a stream ended in the middle of a frame: ${JSON.stringify(end.rest)}`);
      if (this.standing === 'over' || boot.stopping) return;
      if (this.standing !== 'waiting') return this.#fault(`a stream ended behind frame ${this.frames.length - 1}`);
      if (this.frames.length === before && this.plan.resume === 'events')
        return this.#fault('its events ended while it waits');
    }
  }

  /** A start the first time; later whatever goes on behind the last frame. */
  #stream(boot: Boot): Promise<StreamEnd> {
    const { run_id, resume } = this.plan;
    this.asked = true;
    const seen = this.frames.length - 1;
    const handlers = {
      onOpen: (headers: { [name: string]: unknown }) => {
        if (this.standing === 'new') this.standing = 'open';
        if ('x-run-id' in headers && headers['x-run-id'] !== run_id)
          this.#fault(`the start was answered with the run ${String(headers['x-run-id'])}`);
      },
      onFrame: (frame: string) => this.#take(frame, boot),
    };
    const headers: Record<string, string> = seen < 0 ? {} : { 'last-event-id': String(seen) };
    if (seen >= 0) this.resumes++;
    // Behind `run_waiting` a start ends at once: the events are the stream that waits.
    if (this.standing === 'new' || (resume === 'start' && this.standing === 'open'))
      return readFrames(`${boot.url}/v1/runs`, { method: 'POST', body: this.body, headers }, handlers);
    return readFrames(`${boot.url}/v1/runs/${run_id}/events`, { headers }, handlers);
  }

  #take(text: string, boot: Boot): void {
    const { id, event } = parseFrame(text);
    if (id !== String(this.frames.length))
      return this.#fault(`frame ${this.frames.length} was due, ${id} came: ${text}`);
    this.frames.push(text);
    this.boots.push(boot.number);
    this.standing = event.type === 'run_waiting' ? 'waiting' : event.type === 'run_finish' ? 'over' : 'open';
    if (event.type === 'run_waiting') {
      this.#pending = event.data.pending.map(({ tool_call_id }) => tool_call_id);
      this.#waitingSince = boot.number;
      if (boot.draining || this.plan.patience === 0) void this.#decide(boot);
    }
    if (this.frames.length === this.plan.cancel_after && this.standing !== 'over') void this.#cancel(boot);
  }

  /** Says what became of the calls in doubt, or ends the run. Sent again, with the same ids, until it was heard. */
  async #decide(boot: Boot): Promise<void> {
    const { run_id, verdict } = this.plan;
    if (verdict === 'cancel the run') return this.#cancel(boot);
    const answer = {
      retry: { action: 'resume', result: { retry: true } },
      'it happened': { action: 'resume', result: { told: true } },
      'it did not happen': { action: 'cancel' },
    }[verdict];
    const decisions = this.#pending.map((call) => ({
      ...answer,
      target_id: call,
      decision_id: `${run_id}/${call}/${this.frames.length}`,
      updated_at: 1,
    }));
    const answered = await ask(`${boot.url}/v1/runs/${run_id}/inputs`, { method: 'POST', body: { decisions } });
    if (!answered || answered.status === 202) return;
    // Its own cancel, or another run on its thread, may have ended it meanwhile: the log will tell.
    if (answered.status === 400 && (this.cancel !== 'none' || this.plan.shared)) return;
    this.#refused(boot, `a decision was answered ${answered.status} ${JSON.stringify(answered.body)}`);
  }

  async #cancel(boot: Boot): Promise<void> {
    if (this.cancel === 'none') this.cancel = 'sent';
    const answered = await ask(`${boot.url}/v1/runs/${this.plan.run_id}/cancel`, { method: 'POST' });
    if (answered?.status === 202) this.cancel = 'acknowledged';
    // It may have ended while the cancel was on its way, or by an earlier one whose answer was lost: the log will tell.
    else if (answered && answered.status !== 400)
      this.#refused(boot, `its cancel was answered ${answered.status} ${JSON.stringify(answered.body)}`);
  }

  /** Right from a server that stops, a fault from any other. */
  #refused(boot: Boot, what: string): void {
    if (!boot.stopping) this.#fault(what);
  }

  #fault(what: string): void {
    this.faults.push(what);
  }
}
