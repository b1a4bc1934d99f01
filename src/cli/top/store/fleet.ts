/**
 * What runs on the server, as the feed tells it: threads, runs and tool calls by id, and the runs that ended last.
 *
 * It is a fold of the feed's frames and knows nothing of screens. The feed hands out each frame once and in order, and
 * every entry stands under its id, so whatever happens to the connection there is never a second row for one run.
 * Memory is what is alive on the server plus `ENDED` runs. No I/O.
 */

import type { ActorFrame, ActorItem } from '../../client/index.js';

/** Runs that are remembered after their end. */
const ENDED = 1_000;

export type EndedRun = {
  run_id: string;
  thread_id: string;
  agent_id: string | null;
  /** Termination code. */
  status: string;
  detail: string | null;
  at: number;
  created_at: number;
};

export class Fleet {
  /** In the order in which they came into their states, as far as the feed has told: nearly the order of most lists. */
  readonly runs = new Map<string, ActorItem>();
  readonly threads = new Map<string, ActorItem>();
  /** By actor id. */
  readonly calls = new Map<string, ActorItem>();
  readonly ended = new Map<string, EndedRun>();
  /** Rises with every change. */
  revision = 0;
  /** Rises with every change of what somebody has to decide. */
  questions = 0;
  /** Active things on the server when the feed began, for as long as not all of them are here. */
  missing = 0;
  #queued = new Map<string, number>();
  /** Calls by their run: a run that ends takes them along. */
  #callIds = new Map<string, Set<string>>();

  apply(frame: ActorFrame): void {
    switch (frame.type) {
      case 'reset':
        return this.#reset(frame.items, frame.total);
      case 'transition':
      case 'changed':
        return this.#put(frame.actor);
      case 'ended':
        return this.#end(frame);
      case 'queued':
        this.#queued.set(frame.thread_id, frame.queued);
        this.revision++;
        return;
      case 'progress':
        return this.#progress(frame);
      default:
    }
  }

  /** Adds what a `reset` had no room for. What the feed has told since is newer and stays. */
  fill(items: readonly ActorItem[]): void {
    for (const item of items) if (!this.#known(item)) this.#put(item);
  }

  /** Waiting entries of a thread. */
  queuedOf(thread_id: string): number {
    return this.#queued.get(thread_id) ?? 0;
  }

  /** The calls of a run, the oldest first. */
  callsOf(run_id: string): ActorItem[] {
    const ids = [...(this.#callIds.get(run_id) ?? [])];
    return ids.flatMap((id) => this.calls.get(id) ?? []).sort((a, b) => a.created_at - b.created_at);
  }

  /** The server knows nothing of it any more. */
  forget(run_id: string): void {
    if (this.runs.delete(run_id)) this.revision++;
  }

  #reset(items: readonly ActorItem[], total: number): void {
    this.runs.clear();
    this.threads.clear();
    this.calls.clear();
    this.#callIds.clear();
    this.#queued.clear();
    this.questions++;
    for (const item of items) this.#put(item);
    this.missing = Math.max(0, total - items.length);
    this.revision++;
  }

  #known({ kind, id, run_id, thread_id }: ActorItem): boolean {
    if (kind === 'tool_call') return this.calls.has(id);
    return kind === 'run' ? this.runs.has(run_id!) || this.ended.has(run_id!) : this.threads.has(thread_id);
  }

  #put(item: ActorItem): void {
    this.revision++;
    if (item.kind === 'tool_call') return this.#putCall(item);
    this.#queued.set(item.thread_id, item.queued);
    if (item.kind === 'run') this.#putRun(item);
    // A thread at rest is no news: the screen of threads asks the server for those.
    else if (item.path[0] === 'idle' && item.queued === 0) this.#dropThread(item.thread_id);
    else this.threads.set(item.thread_id, item);
  }

  #putRun(run: ActorItem): void {
    const before = this.runs.get(run.run_id!);
    if (run.waiting_for || before?.waiting_for) this.questions++;
    if (before?.since !== run.since) this.runs.delete(run.run_id!);
    this.runs.set(run.run_id!, run);
  }

  #putCall(call: ActorItem): void {
    this.calls.set(call.id, call);
    const ids = this.#callIds.get(call.run_id!);
    if (ids) ids.add(call.id);
    else this.#callIds.set(call.run_id!, new Set([call.id]));
  }

  #dropCall(id: string): void {
    const run_id = this.calls.get(id)?.run_id;
    this.calls.delete(id);
    const ids = run_id ? this.#callIds.get(run_id) : undefined;
    if (ids?.delete(id) && ids.size === 0) this.#callIds.delete(run_id!);
  }

  #dropThread(thread_id: string): void {
    this.threads.delete(thread_id);
    this.#queued.delete(thread_id);
  }

  #end({ id, kind, run_id, thread_id, outcome, detail, at }: Extract<ActorFrame, { type: 'ended' }>): void {
    this.revision++;
    if (kind === 'tool_call') return this.#dropCall(id);
    if (kind === 'thread') return this.#dropThread(thread_id);
    const run = this.runs.get(run_id!);
    if (run?.waiting_for) this.questions++;
    this.runs.delete(run_id!);
    for (const call of this.#callIds.get(run_id!) ?? []) this.calls.delete(call);
    this.#callIds.delete(run_id!);
    this.ended.delete(run_id!);
    this.ended.set(run_id!, {
      run_id: run_id!,
      thread_id,
      agent_id: run?.agent_id ?? null,
      status: outcome,
      detail,
      at,
      created_at: run?.created_at ?? at,
    });
    if (this.ended.size > ENDED) this.ended.delete(this.ended.keys().next().value!);
  }

  /** Of the call, and of its run when that is the call its row shows. */
  #progress({ id, progress, message }: Extract<ActorFrame, { type: 'progress' }>): void {
    this.revision++;
    const call = this.calls.get(id);
    const run_id = call?.run_id ?? /^tool_call:(.+):[^:]*$/.exec(id)?.[1];
    const run = run_id === undefined ? undefined : this.runs.get(run_id);
    if (call?.tool) this.calls.set(id, { ...call, tool: { ...call.tool, progress, message } });
    if (run?.tool && (!call?.tool || call.tool.name === run.tool.name))
      this.runs.set(run.run_id!, { ...run, tool: { ...run.tool, progress, message } });
  }
}
