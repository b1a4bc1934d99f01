/**
 * Tells receivers of push notifications over HTTP: the payload of A2A, the token and credentials that the receiver asked
 * for, and a signature of this server's.
 */

import { PushRefused, type DeliverPush, type PushConfig } from '../../actors/index.js';
import { pushPayload } from '../a2a/push-payload.js';
import { post } from './post.js';
import { sign, SIGNATURE_HEADER } from './signature.js';
import { targetFault } from './target.js';

export type PushOptions = {
  /** Receivers may be inside the network. Default false. */
  allow_private?: boolean;
  /** What notifications are signed with; null: they are not. Read at each delivery; throws when it is not set. */
  secret?: () => string | null;
  /** Milliseconds a receiver may take to answer. Default 10 s. */
  timeout_ms?: number;
};

/** Makes the function that the engine calls for each notification. */
export function pushDeliverer(options: PushOptions = {}, now: () => number = Date.now): DeliverPush {
  const { allow_private = false, secret = () => null, timeout_ms = 10_000 } = options;
  return async function deliverPush({ delivery_id, config, news }) {
    const fault = targetFault(config.url, { allow_private });
    if (fault !== undefined) throw new PushRefused(`the address of the receiver ${fault}`);
    const body = pushPayload(news, config.version);
    const key = secret();
    const headers = {
      'content-type': config.version === '1.0' ? 'application/a2a+json' : 'application/json',
      'user-agent': 'agent-server',
      'x-agent-server-delivery': delivery_id,
      ...tokens(config),
      ...(key === null ? {} : { [SIGNATURE_HEADER]: sign(key, body, Math.floor(now() / 1000)) }),
    };
    await post(config.url, headers, body, { allow_private, timeout_ms });
  };
}

function tokens({ token, authentication }: PushConfig): Record<string, string> {
  return {
    ...(token === null ? {} : { 'x-a2a-notification-token': token }),
    ...(authentication === null || authentication.credentials === ''
      ? {}
      : { authorization: `${authentication.scheme} ${authentication.credentials}` }),
  };
}
