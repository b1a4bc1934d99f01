/**
 * Starts runs: finds or makes the thread, reserves the run's id, looks up what the start refers to, and hands it to the
 * thread (`start.ts` says what it does there).
 */

import { newId } from '../../new-id.js';
import {
  agentNotFound,
  AgentServerError,
  badRequest,
  ErrorCode,
  runNotFound,
  storageUnavailable,
  threadNotFound,
} from '../../errors.js';
import type { Answers, RunClaim, StartRequest, ThreadView } from '../engine.js';
import type { OnBusy } from '../../agents/types.js';
import { noteIn, type Note } from '../audit/note.js';
import { Claims } from '../host/claims.js';
import { lineage, MAX_DEPTH } from '../host/family.js';
import { loadThreadView } from '../thread/rows.js';
import type { Runtime } from '../host/runtime.js';
import type { ThreadHost } from '../thread/thread-host.js';
import { areNamed, caughtUp, newsOf } from './messages.js';
import { acceptStart, type StartDeps } from './start.js';

export class Starter {
  readonly #claims: Claims;

  constructor(private readonly runtime: Runtime) {
    this.#claims = new Claims(runtime.parts.store, (tno) => runtime.graves.has(tno));
  }

  /** Reserves a run id for the start that follows, or tells whose it is (engine port). */
  async claim(run_id: string, body_hash: string, taken = false): Promise<RunClaim> {
    const held = await this.#claims.claim(run_id, body_hash, taken);
    if (!held) return { claimed: true };
    const found = await this.runtime.locate(run_id);
    if (!found) return this.claim(run_id, body_hash, taken); // Its thread was deleted at this moment.
    const { record } = found;
    return { claimed: false, run_id, thread_id: record.thread_id, same_body: held.hash === body_hash };
  }

  /** Starts a run whose id, if it has one, its caller has claimed; the claim ends here, however this ends. */
  async start(start: StartRequest, note?: Note): Promise<Answers['start']> {
    const run_id = start.run_id ?? newId();
    const { agents, journal } = this.runtime.parts;
    try {
      if (!agents.get(start.agent_id)) throw agentNotFound(start.agent_id);
      if (!journal.accepting()) throw storageUnavailable();
      return (await this.runtime.withThread(
        async ({ threads }) =>
          start.thread_id === undefined ? threads.create() : threads.byId(start.thread_id, { create: true }),
        (host) =>
          caughtUp(async () => {
            const found = await this.#lookUp(host, await this.#confine(host, start));
            return this.#accept(host, run_id, found.start, found, note);
          }),
      ))!;
    } finally {
      this.#claims.release(run_id);
    }
  }

  /** Starts a run under an id of the caller's making. Throws `conflict` when there is such a run. */
  async startNamed(start: StartRequest & { run_id: string }, note?: Note): Promise<Answers['start']> {
    const claim = await this.claim(start.run_id, '', true);
    if (!claim.claimed) throw new AgentServerError(ErrorCode.conflict, `run already exists: ${start.run_id}`);
    return this.start(start, note);
  }

  /** Keeps a run id from all starts; the answer frees it. */
  reserve(run_id: string): Promise<() => void> {
    return this.#claims.reserve(run_id);
  }

  /** The caller has claimed the id, and this is the start it was claimed for. */
  takesClaim(run_id: string): boolean {
    return this.#claims.take(run_id);
  }

  /** The start that the id was claimed for will not come. */
  forgo(run_id: string): void {
    if (this.#claims.take(run_id)) this.#claims.release(run_id);
  }

  /** A start that another thread asked for; false when its thread is gone. */
  async startElsewhere(start: StartRequest & { run_id: string; thread_id: string }): Promise<boolean> {
    if (!(await this.runtime.threads.byId(start.thread_id, { create: false }))) return false;
    await this.startNamed(start);
    return true;
  }

  /** Holds the start to the resource its caller is bound to, before anything else of the thread is looked at. */
  async #confine(host: ThreadHost, start: StartRequest): Promise<StartRequest> {
    const { confined_to, resource_id = confined_to, parent_run_id, parent_thread_id } = start;
    if (confined_to === undefined) return start;
    if (resource_id !== confined_to)
      throw new AgentServerError(ErrorCode.forbidden, 'forbidden: the token is bound to another resource');
    const isForeign = (found: { resource_id: string | null } | undefined): boolean =>
      found?.resource_id !== confined_to;
    if (host.cells.get('thread') && isForeign(host.cells.get('thread'))) throw threadNotFound(host.thread_id);
    if (parent_run_id !== undefined && isForeign((await this.runtime.locate(parent_run_id))?.record))
      throw runNotFound(parent_run_id);
    if (parent_thread_id !== undefined && isForeign(await this.#threadNamed(parent_thread_id)))
      throw threadNotFound(parent_thread_id);
    return { ...start, resource_id };
  }

  async #threadNamed(thread_id: string): Promise<ThreadView | undefined> {
    const tno = await this.runtime.threadOrdinal(thread_id);
    return tno === undefined ? undefined : loadThreadView(this.runtime.parts.readStore, tno);
  }

  /** What of the start is new to the thread, where it cuts it, and whose child it is. */
  async #lookUp(host: ThreadHost, start: StartRequest): Promise<Found & { start: StartRequest }> {
    const { rewind, messages, parent_run_id } = start;
    const found = parent_run_id === undefined ? {} : await this.#parentOf(parent_run_id, start);
    if (!rewind && !areNamed(messages)) return { start, ...found };
    const seen = host.cells.get('thread')?.next_cursor ?? 0;
    return { ...newsOf(start, await this.runtime.history(host)), ...found, seen };
  }

  async #parentOf(parent_run_id: string, { origin }: StartRequest): Promise<Found> {
    const parent = await lineage(this.runtime.parts.readStore, parent_run_id);
    if (!parent) return {};
    if (origin === 'subagent' && parent.depth > MAX_DEPTH) throw badRequest('the chain of delegations is too long');
    return { parent_rno: parent.rno };
  }

  async #accept(
    host: ThreadHost,
    run_id: string,
    start: StartRequest,
    { cut, seen, parent_rno }: Found,
    note: Note | undefined,
  ): Promise<Answers['start']> {
    const { threads, parts } = this.runtime;
    const { value: rno, ops } = parts.ordinals.run.next();
    const answer = await host.request((draft) => {
      const accepted = acceptStart(draft, start, {
        tno: host.tno,
        thread_id: host.thread_id,
        rno,
        run_id,
        on_busy: this.#onBusy(start),
        hash: this.#claims.hashOf(run_id),
        next: host.nextToken,
        max_entries: parts.limits.mailbox_entries,
        ordinalOps: [...(threads.ordinalOps.get(host) ?? []), ...ops],
        ...(cut ? { cut } : {}),
        ...(seen === undefined ? {} : { seen }),
        ...(parent_rno === undefined ? {} : { parent_rno }),
      });
      const { thread_id } = host;
      const landed = noteIn(draft, note, { thread_id, run_id: accepted.is === 'new' ? run_id : accepted.run_id });
      return () => {
        landed();
        if (accepted.is === 'repeated' || (accepted.is === 'resumed' && !accepted.follows)) return { accepted };
        parts.ordinals.run.landed(rno);
        this.runtime.names.keep(run_id, { rno, tno: host.tno });
        if (threads.ordinalOps.delete(host)) parts.ordinals.thread.landed(host.tno);
        return { accepted, own: host.cells.get(`r${rno}`)! };
      };
    });
    const { accepted, own } = answer;
    if (accepted.is === 'new') return { run: own!, attached: false };
    const found = await this.runtime.locate(accepted.run_id);
    if (!found) throw runNotFound(accepted.run_id); // Its thread was deleted at this moment.
    const { record: run } = found;
    if (accepted.is === 'repeated') return { run, attached: true };
    return { run, attached: false, resumed_after: accepted.after, ...(own ? { follows: own } : {}) };
  }

  #onBusy({ on_busy, agent_id }: StartRequest): OnBusy {
    return typeof on_busy === 'string'
      ? on_busy
      : (this.runtime.parts.agents.get(agent_id)?.on_busy ?? on_busy.default);
  }
}

type Found = Pick<StartDeps, 'cut' | 'seen' | 'parent_rno'>;
