/**
 * The way to a remote: finds its card, picks the interface that the official client speaks best (1.0 before 0.3, over
 * JSON-RPC or HTTP+JSON), and keeps the client for as long as it works.
 *
 * The key and the configured headers are sent to the origin of the configured address and to no other, whatever the card
 * names. Redirects are not followed, for the same reason. What the remote quotes of the key is blacked out.
 */

import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { AGENT_CARD_PATH, type AgentCard } from '@a2a-js/sdk';
import { retryAfter } from '../inference-errors.js';
import { discreetFetch } from '../providers/discreet-fetch.js';
import { Away, Refused } from './faults.js';
import { takesMessagesOnce } from './once.js';

export type LinkOptions = {
  /** The card's address, or the address of the agent whose card is at the well-known place. */
  url: string;
  /** Sent with every request to the configured origin. */
  headers(): Record<string, string>;
  /** What is not set and has to be, in one sentence. */
  missing(): string | undefined;
  /** The key in them, to be blacked out. */
  secret(): string | undefined;
};

/** A way that works: the client, and what the card says. `once`: a message that comes twice is taken once. */
export type Line = { client: Client; name: string; streams: boolean; once: boolean };

const MAX_CARD_BYTES = 256 * 1024;
/** Statuses that say "not now"; those that say that nothing was taken in. */
const NOT_NOW = new Set([408, 425, 429, 500, 502, 503, 504]);
const NOT_TAKEN = new Set([425, 429, 503]);
/** Codes of the network for what has never left: nobody was found, or nobody listens. */
const NEVER_LEFT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export class Link {
  #line: Promise<Line> | undefined;
  readonly #card: URL;

  constructor(private readonly options: LinkOptions) {
    this.#card = cardAddress(options.url);
  }

  /** The line; made at the first call and after `drop`. */
  open(): Promise<Line> {
    this.#line ??= this.#connect().catch((error: unknown) => {
      this.#line = undefined;
      throw error;
    });
    return this.#line;
  }

  /** The line may be of no more use: the remote may have moved or changed while it was away. */
  drop(): void {
    this.#line = undefined;
  }

  async #connect(): Promise<Line> {
    const missing = this.options.missing();
    if (missing !== undefined) throw new Refused(missing);
    const legacyCompat = { enabled: true };
    const options = { fetchImpl: this.#fetch, legacyCompat };
    const cardResolver = new DefaultAgentCardResolver(options);
    const card = await this.#readCard(cardResolver);
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(options), new RestTransportFactory(options)],
      cardResolver,
    });
    const client = await factory.createFromAgentCard(card).catch((cause: unknown) => {
      throw new Refused('the agent card names no interface that can be used (JSON-RPC or HTTP+JSON)', { cause });
    });
    return {
      client,
      name: card.name,
      streams: card.capabilities?.streaming === true,
      once: takesMessagesOnce(card),
    };
  }

  async #readCard(resolver: DefaultAgentCardResolver): Promise<AgentCard> {
    const response = await this.#fetch(this.#card, { headers: { accept: 'application/json' } });
    const text = await response.text();
    if (!response.ok) throw new Refused(`there is no agent card: the remote answered ${response.status}`);
    if (text.length > MAX_CARD_BYTES) throw new Refused('the agent card is too large');
    try {
      const card = resolver.normalizeAgentCard(JSON.parse(text));
      if (typeof card.name !== 'string') throw new TypeError('it has no name');
      return card;
    } catch (cause) {
      throw new Refused('what stands at the address is not an agent card', { cause });
    }
  }

  /** Says whether trouble is of the kind that passes, while the status is still at hand. */
  readonly #fetch: typeof globalThis.fetch = async (input, init) => {
    const address = input instanceof Request ? input.url : input;
    const trusted = new URL(address).origin === this.#card.origin;
    const headers = new Headers(init?.headers);
    if (trusted) for (const [name, value] of Object.entries(this.options.headers())) headers.set(name, value);
    const send = trusted ? discreetFetch(this.options.secret()) : globalThis.fetch;
    const response = await send(input, { ...init, headers, redirect: 'manual' }).catch((cause: unknown) => {
      const reason = reasonOf(cause);
      throw new Away(`the remote agent is not reached: ${reason}`, { untold: NEVER_LEFT.has(reason), cause });
    });
    const { status } = response;
    if (NOT_NOW.has(status)) {
      // An error of JSON-RPC says more than the status it may come with.
      const text = await response.text().catch(() => '');
      if (text.includes('"jsonrpc"')) return new Response(text, { status, headers: response.headers });
      throw new Away(`the remote agent answered ${status}`, {
        retry_after_ms: retryAfter(Object.fromEntries(response.headers), Date.now()),
        untold: NOT_TAKEN.has(status),
      });
    }
    if (status === 401 || status === 403)
      throw new Refused(`the remote agent answered ${status}: it wants other credentials`);
    if (status >= 300 && status < 400) throw new Refused('the remote agent answers with a redirect');
    return response;
  };
}

/** An address whose last segment speaks of a card is the card's; any other is where the well-known path begins. */
export function cardAddress(url: string): URL {
  const address = new URL(url);
  if (/(agent-card|\.json)$/.test(address.pathname)) return address;
  if (!address.pathname.endsWith('/')) address.pathname += '/';
  return new URL(AGENT_CARD_PATH, address);
}

/** `fetch failed` says nothing; its cause does. Codes of the network name no address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.message : String(error);
}
