/**
 * What the published AG-UI clients make of a stream: their schemas, their verifiers and their reducers, version by version.
 */

import * as v100 from '@ag-ui/client';
import { EventSchema } from '@ag-ui/core/schemas';
import * as v059 from 'ag-ui-client-0059';
import * as v047 from 'ag-ui-client-0047';
import { from, lastValueFrom, toArray, type Observable } from 'rxjs';

export type WireEvent = { type: string; [key: string]: unknown };
export type WireMessage = { id: string; role: string; [key: string]: unknown };

/** The clients differ in their types, not in what is called here. */
type Client = {
  version: string;
  /** Sends `protocolVersion`. */
  v1: boolean;
  parse(event: WireEvent): WireEvent;
  verify: (events: Observable<WireEvent>) => Observable<WireEvent>;
  apply: (events: Observable<WireEvent>, agent: unknown) => Observable<{ messages?: WireMessage[]; state?: unknown }>;
  agent: (messages: WireMessage[]) => unknown;
};

const input = { threadId: 't', runId: 'r', messages: [], tools: [], context: [], state: {}, forwardedProps: {} };

export const clients: readonly Client[] = [
  {
    version: '1.0.0',
    v1: true,
    parse: (event) => EventSchema.parse(event),
    verify: v100.verifyEvents() as never,
    apply: (events, agent) => v100.defaultApplyEvents(input, events as never, agent as never, []),
    agent: (messages) => new v100.HttpAgent({ url: 'http://localhost', initialMessages: messages as never }),
  },
  {
    version: '0.0.59',
    v1: false,
    parse: (event) => v059.EventSchemas.parse(event),
    verify: v059.verifyEvents() as never,
    apply: (events, agent) => v059.defaultApplyEvents(input, events as never, agent as never, []),
    agent: (messages) => new v059.HttpAgent({ url: 'http://localhost', initialMessages: messages as never }),
  },
  {
    version: '0.0.47',
    v1: false,
    parse: (event) => v047.EventSchemas.parse(event),
    verify: v047.verifyEvents(false) as never,
    apply: (events, agent) => v047.defaultApplyEvents(input, events as never, agent as never, []),
    agent: (messages) => new v047.HttpAgent({ url: 'http://localhost', initialMessages: messages as never }),
  },
];

/** Rejects with the verifier's words when a client would refuse the stream. */
export async function accept(client: Client, events: readonly WireEvent[]): Promise<void> {
  for (const event of events) client.parse(event);
  await lastValueFrom(client.verify(from(events)).pipe(toArray()));
}

/** The messages a client has when the stream is over. */
export async function messagesAfter(
  client: Client,
  events: readonly WireEvent[],
  before: WireMessage[] = [],
): Promise<WireMessage[]> {
  const changes = await lastValueFrom(client.apply(from(events), client.agent(before)).pipe(toArray()));
  return changes.findLast(({ messages }) => messages)?.messages ?? before;
}
