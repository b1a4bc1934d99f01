/**
 * Events of the protocol as frames: the same events in three notations, one frame at most for each event of the log. Pure.
 */

import { StreamResponse } from '@a2a-js/sdk';
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import { SharedFrames } from '../../frames.js';
import { protocolEvents } from './events.js';

/** How a client wants its events: bare, or as answers to its JSON-RPC request. */
export type Notation = { is: 'rest' } | { is: 'rpc'; version: '1.0' | '0.3'; id: string | number | null };

/** What a 0.3 client is pushed is what it is streamed, without the envelope. */
const legacy = new V03PushNotificationSerializer();

/** One event as JSON text. */
export function eventText(event: StreamResponse, notation: Notation): string {
  if (notation.is === 'rest') return JSON.stringify(StreamResponse.toJSON(event));
  const result =
    notation.version === '1.0' ? JSON.stringify(StreamResponse.toJSON(event)) : legacy.serialize(event).body;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(notation.id)},"result":${result}}`;
}

const framesIn = (notation: Notation): SharedFrames =>
  new SharedFrames(function* encode(chunk, run, from) {
    for (const events of protocolEvents(chunk, run, from)) yield events.map((event) => eventText(event, notation));
  });

/** Shared by all readers; answers to a JSON-RPC request carry its id and are its own. */
const restFrames = framesIn({ is: 'rest' });

export const protocolFrames = (notation: Notation): SharedFrames =>
  notation.is === 'rest' ? restFrames : framesIn(notation);
