/**
 * The server as this tool sees it: its routes as methods.
 *
 * Every method throws `CliError` and nothing else. The signal ends whatever is under way and throws its reason. Ids are
 * encoded here; `reason` is why an operator does this, and goes into the server's audit log.
 */

import { openFeed, type FeedFrame, type FeedOptions } from './feed.js';
import type { Target } from './target.js';
import { noAgentServer, request, type Query, type RequestOptions } from './transport.js';
import type * as wire from './types.js';

/** Acting on something. */
export type Act = { reason?: string | undefined };

const id = encodeURIComponent;

export class Client {
  constructor(
    readonly target: Target,
    private readonly signal?: AbortSignal,
  ) {}

  /** An offset list. */
  async page<T>(path: string, query: Query = {}): Promise<wire.Page<T>> {
    const page = await this.#get<wire.Page<T> | undefined>(path, query);
    if (!Array.isArray(page?.items)) throw noAgentServer(this.target, 'something else than a list');
    return page;
  }

  feed<T>(path: string, options: FeedOptions = {}): AsyncGenerator<FeedFrame<T>> {
    return openFeed<T>(this.target, path, { signal: this.signal, ...options });
  }

  run = (run: string): Promise<wire.RunRecord> => this.#get(`/v1/runs/${id(run)}`);

  /** Starts a run and does not wait for it. The same key and payload start it once. */
  startRun = (payload: wire.StartPayload, key: string): Promise<wire.RunRecord> =>
    this.#send('POST', '/v1/runs', {
      body: payload,
      headers: { prefer: 'respond-async', 'idempotency-key': key },
    });

  /** The stored events behind `after` (-1: from the first). */
  events = (run: string, query: Query): Promise<wire.EventPage> => this.#get(`/v1/runs/${id(run)}/events`, query);

  /** The run's events from `after` on, until the caller leaves: the last one is `run_finish`. */
  followRun = (run: string, { after = -1, ...options }: FeedOptions & { after?: number } = {}) =>
    this.feed<wire.RunEvent>(`/v1/runs/${id(run)}/events`, {
      ...options,
      ...(after < 0 ? {} : { lastEventId: String(after) }),
    });

  cancelRun = (run: string, act: Act = {}): Promise<{ status: string; run_id: string }> =>
    this.#send('POST', `/v1/runs/${id(run)}/cancel`, act);

  decide = (run: string, decisions: wire.Decision[], act: Act = {}) =>
    this.#send<{ status: string; run_id: string; thread_id: string }>('POST', `/v1/runs/${id(run)}/inputs`, {
      ...act,
      body: { decisions },
    });

  thread = (thread: string): Promise<wire.ThreadDetail> => this.#get(`/v1/threads/${id(thread)}`);

  messages = (thread: string, query: Query): Promise<wire.MessagePage> =>
    this.#get(`/v1/threads/${id(thread)}/messages`, query);

  interrupt = (thread: string, act: Act = {}): Promise<wire.InterruptResult> =>
    this.#send('POST', `/v1/threads/${id(thread)}/interrupt`, act);

  fork = (thread: string, body: { after_message_id?: string; thread_id?: string }, act: Act = {}) =>
    this.#send<wire.Thread>('POST', `/v1/threads/${id(thread)}/fork`, { ...act, body });

  deleteThread = (thread: string, act: Act = {}): Promise<void> =>
    this.#send('DELETE', `/v1/threads/${id(thread)}`, act);

  cancelEntry = (thread: string, entry: string, act: Act = {}): Promise<void> =>
    this.#send('DELETE', entryPath(thread, entry), act);

  setPriority = (thread: string, entry: string, priority: number, act: Act = {}): Promise<wire.MailboxEntry> =>
    this.#send('PATCH', entryPath(thread, entry), { ...act, body: { priority } });

  /** The new entry. */
  retryEntry = (thread: string, entry: string, act: Act = {}): Promise<wire.MailboxEntry> =>
    this.#send('POST', `${entryPath(thread, entry)}/retry`, act);

  actor = (actor: string): Promise<wire.ActorDetail> => this.#get(`/v1/actors/${id(actor)}`);

  /** Transitions of all actors; `include` and the filters are the query. The first frame is a `reset`. */
  actorFeed = (options: FeedOptions = {}) => this.feed<wire.ActorFrame>('/v1/actors/events', options);

  machine = (name: string): Promise<wire.Machine> => this.#get(`/v1/machines/${id(name)}`);

  backup = (dir: string, act: Act = {}): Promise<wire.BackupReport> =>
    this.#send('POST', '/v1/backup', { ...act, body: { dir } });

  #get<T>(path: string, query: Query = {}): Promise<T> {
    return request<T>(this.target, 'GET', path, { query, signal: this.signal });
  }

  #send<T>(method: string, path: string, options: RequestOptions): Promise<T> {
    return request<T>(this.target, method, path, { ...options, signal: this.signal });
  }
}

const entryPath = (thread: string, entry: string): string => `/v1/threads/${id(thread)}/mailbox/${id(entry)}`;
