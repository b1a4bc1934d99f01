/**
 * Which thread holds a slot for its running run, and what such a run counts against: the process, its agent, its provider
 * (CONTRACT 1.16). `admission.ts` has the rules; here they meet threads, agents and limits.
 */

import { providerOf } from '../../agents/providers/resolver.js';
import type { Agent, AgentRegistry } from '../../agents/types.js';
import type { RunOverrides } from '../engine.js';
import { Admission, type Candidate, type Slot } from './admission.js';
import type { RuntimeLimits } from './limits.js';
import type { ThreadHost } from '../thread/thread-host.js';

export class Slots {
  readonly #admission: Admission<Candidate>;
  readonly #candidates = new WeakMap<ThreadHost, Candidate>();

  constructor(
    private readonly agents: AgentRegistry,
    private readonly limits: Pick<RuntimeLimits, 'max_running' | 'provider_limits'>,
  ) {
    this.#admission = new Admission(limits.max_running);
  }

  /** Runs that hold a slot. */
  get running(): number {
    return this.#admission.running;
  }

  /** Threads that wait for one. */
  get queued(): number {
    return this.#admission.queued;
  }

  /** Takes a slot for the run that the thread is about to begin, or lines the thread up: its turn comes again. */
  reserve(host: ThreadHost, agent: Agent, overrides: RunOverrides | undefined): boolean {
    return this.#admission.reserve(this.#candidateOf(host), this.#against(agent, overrides));
  }

  /** The thread has looked whose turn it is; what it was called for and does not take is the next one's. */
  answered(host: ThreadHost): void {
    this.#admission.answered(this.#candidateOf(host));
  }

  /** What the committed state says: a running run has its slot, any other gives it back. */
  settle(host: ThreadHost): void {
    this.#admission.settle(this.#candidateOf(host), host.value === 'running', () => this.#ofActive(host));
  }

  /** The thread leaves memory, or is no more. */
  forget(host: ThreadHost): void {
    this.#admission.forget(this.#candidateOf(host));
  }

  /**
   * Keeps a slot for a thread whose run is running and that is still to be read, in front of all that ask later; `read` is
   * called as soon as there is one, and says when the thread has it by itself.
   */
  keepFor(read: (isRead: () => void) => void): void {
    const place: Candidate = { turn: () => read(() => this.#admission.forget(place)) };
    if (this.#admission.reserve(place, [])) place.turn();
  }

  /** Nobody is called any more. */
  close(): void {
    this.#admission.close();
  }

  #candidateOf(host: ThreadHost): Candidate {
    const known = this.#candidates.get(host);
    if (known) return known;
    const candidate: Candidate = { turn: () => host.push({ kind: 'turn' }) };
    this.#candidates.set(host, candidate);
    return candidate;
  }

  #ofActive({ active, cells }: ThreadHost): Slot[] {
    const rno = Number(active?.key);
    const agent = this.agents.get(cells.get(`r${rno}`)?.agent_id ?? '');
    return agent ? this.#against(agent, cells.get(`x${rno}`)) : [];
  }

  #against({ id, model, max_concurrent }: Agent, overrides: RunOverrides | undefined): Slot[] {
    const provider = providerOf(overrides?.model ?? model);
    const limit = this.limits.provider_limits[provider];
    return [
      ...(max_concurrent === undefined ? [] : [{ key: `agent ${id}`, max: max_concurrent }]),
      ...(limit === undefined ? [] : [{ key: `provider ${provider}`, max: limit }]),
    ];
  }
}
