/**
 * The engine as one caller may use it: the one place where a token that is bound to a resource is held to it.
 *
 * Callers may rely on: such a caller finds, lists, watches and changes only threads and runs of its resource; everything
 * else is answered as if it were not there, in the same words. Its starts get its resource, on new threads and its own.
 * What an id of somebody else cannot hide is that it is taken: a run id is refused as one of its own would be (409), a
 * thread id as unknown (404), though an unknown one would have begun a thread.
 */

import type {
  Answers,
  Command,
  Engine,
  EventReader,
  Listed,
  ListQuery,
  MessageRange,
  Principal,
  RunClaim,
  ThreadView,
} from '../actors/engine.js';
import type { Cut, Page } from '../actors/page.js';
import type { Inspection } from '../actors/inspection.js';
import type { PushConfig } from '../actors/push/types.js';
import type { Message, RunRecord } from '../actors/records.js';
import { AgentServerError, ErrorCode, runNotFound, threadNotFound } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { Middleware } from './context.js';

/** What the caller may use of the engine: all of it unless it is bound to a resource. */
export const engineFor = (principal: Principal, engine: Engine): Engine =>
  principal.resource_id === null ? engine : new TenantEngine(engine, principal.resource_id);

/** Nothing was done: this is about the whole process, and the token is for one resource of it. */
const bound = (): AgentServerError =>
  new AgentServerError(ErrorCode.forbidden, 'forbidden: the token is bound to a resource');

/** Keeps callers that are bound to a resource from what concerns the whole process. 403 */
export const wholeProcess: Middleware = function refuseTenants(ctx, next) {
  if (ctx.state.principal.resource_id !== null) throw bound();
  return next() as Promise<void>;
};

class TenantEngine implements Engine {
  constructor(
    private readonly engine: Engine,
    private readonly resource_id: string,
  ) {}

  async deliver<T extends Command['type']>(
    command: Extract<Command, { type: T }>,
    principal?: Principal,
  ): Promise<Answers[T]> {
    const asked = await this.#admit(command);
    if (!asked) return { deleted: false } as Answers[T];
    return this.engine.deliver(asked as Extract<Command, { type: T }>, principal);
  }

  /** The command as this caller may give it; undefined for the removal of what is not there for it. */
  async #admit(command: Command): Promise<Command | undefined> {
    switch (command.type) {
      case 'start':
        // Checked where the start is carried out: nothing can come in between, and its claim ends with it.
        return { ...command, start: { ...command.start, confined_to: this.resource_id } };
      case 'retry_push':
        throw bound();
      case 'cancel':
      case 'decide':
      case 'set_push':
      case 'delete_push':
        await this.#own(command.run_id);
        return command;
      case 'delete_thread':
        return (await this.#thread(command.thread_id)) && command;
      default:
        if (!(await this.#thread(command.thread_id))) throw threadNotFound(command.thread_id);
        return command;
    }
  }

  async claimRun(run_id: string, body_hash: string): Promise<RunClaim> {
    const claim = await this.engine.claimRun(run_id, body_hash);
    if (claim.claimed || (await this.#run(run_id))) return claim;
    return { claimed: false, run_id, thread_id: '', same_body: false };
  }

  read(ref: { kind: 'run'; run_id: string; body_hash?: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'entry_run'; entry_id: string }): Promise<RunRecord | undefined>;
  read(ref: { kind: 'push'; run_id: string }): Promise<PushConfig[] | undefined>;
  read(ref: { kind: 'thread'; thread_id: string }): Promise<ThreadView | undefined>;
  read(ref: { kind: 'messages'; thread_id: string } & MessageRange): Promise<Message[] | undefined>;
  read(ref: { kind: 'state'; thread_id: string }): Promise<JsonObject | undefined>;
  async read(ref: {
    kind: string;
    run_id?: string;
    body_hash?: string;
    entry_id?: string;
    thread_id?: string;
  }): Promise<unknown> {
    if (ref.kind === 'run') return this.#run(ref.run_id!, ref.body_hash);
    if (ref.kind === 'entry_run')
      return this.#ours(await this.engine.read({ kind: 'entry_run', entry_id: ref.entry_id! }));
    if (ref.kind === 'push')
      return (await this.#run(ref.run_id!)) && this.engine.read({ kind: 'push', run_id: ref.run_id! });
    const thread = await this.#thread(ref.thread_id!);
    if (!thread || ref.kind === 'thread') return thread;
    return (this.engine.read as (ref: unknown) => Promise<unknown>)(ref);
  }

  async readEvents(run_id: string, after: number): Promise<EventReader> {
    await this.#own(run_id);
    return this.engine.readEvents(run_id, after);
  }

  async list<K extends ListQuery['kind']>(query: Extract<ListQuery, { kind: K }> & Cut): Promise<Page<Listed[K]>> {
    const asked: ListQuery = query;
    if (asked.kind === 'mailbox') {
      if (!(await this.#thread(asked.thread_id))) throw threadNotFound(asked.thread_id);
      return this.engine.list<K>(query);
    }
    if ((asked.resource_id ?? this.resource_id) !== this.resource_id) return { items: [], total: 0, has_more: false };
    return this.engine.list<K>({ ...query, resource_id: this.resource_id });
  }

  inspect(): Inspection {
    throw bound();
  }

  async #run(run_id: string, body_hash?: string): Promise<RunRecord | undefined> {
    return this.#ours(
      await this.engine.read({ kind: 'run', run_id, ...(body_hash === undefined ? {} : { body_hash }) }),
    );
  }

  #ours(run: RunRecord | undefined): RunRecord | undefined {
    return run?.resource_id === this.resource_id ? run : undefined;
  }

  /** Throws `run_not_found` for a run that is not this caller's. */
  async #own(run_id: string): Promise<void> {
    if (!(await this.#run(run_id))) throw runNotFound(run_id);
  }

  async #thread(thread_id: string): Promise<ThreadView | undefined> {
    const thread = await this.engine.read({ kind: 'thread', thread_id });
    return thread?.resource_id === this.resource_id ? thread : undefined;
  }
}
