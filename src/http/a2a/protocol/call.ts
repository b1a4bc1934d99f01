/**
 * One call of the official protocol, as the SDK's transport handlers carry it from the decoded request to our handler.
 *
 * Streams take another way back than answers. The SDK would wrap each event into an answer without an id; ours leave as
 * frames of the run's log, with its ids, its keep-alives and its back-pressure. So a streaming method only notes what
 * stream it wants, and the route opens it.
 */

import { Extensions } from '@a2a-js/sdk';
import { ServerCallContext, UnauthenticatedUser, type User } from '@a2a-js/sdk/server';
import type { Principal } from '../../../actors/engine.js';
import type { Ctx } from '../../context.js';
import { lastEventId } from '../../runs/position.js';
import type { Refusal } from './refusal.js';
import type { StreamPlan } from './stream.js';

export class Call extends ServerCallContext {
  readonly principal: Principal;
  /** Whom limits count. */
  readonly caller: string;
  /** Where the call has got to. */
  progress:
    /** The request is being read. */
    | { is: 'reading' }
    /** It was read, and is being answered. */
    | { is: 'answering' }
    /** It asks for a stream, which the route opens. */
    | { is: 'streaming'; open: () => Promise<StreamPlan> }
    /** It was refused. */
    | { is: 'refused'; refusal: Refusal } = { is: 'reading' };
  /** The last event that the client has, when it says so. */
  readonly position: number | undefined;
  /** Aborted when the client has gone. */
  readonly gone: AbortSignal;

  /**
   * @param requestedVersion of the protocol; the header's, or what the request itself shows.
   * Throws `bad_request` for a malformed `Last-Event-ID`.
   */
  constructor(ctx: Ctx, requestedVersion: string) {
    const { principal, caller } = ctx.state;
    super({
      user: userOf(principal),
      requestedVersion,
      requestedExtensions: Extensions.parseServiceParameter(ctx.get('a2a-extensions') || ctx.get('x-a2a-extensions')),
    });
    this.principal = principal;
    this.caller = caller;
    this.position = lastEventId(ctx);
    const controller = new AbortController();
    this.gone = controller.signal;
    if (ctx.res.destroyed) controller.abort();
    else ctx.res.once('close', () => controller.abort());
  }
}

const userOf = (principal: Principal): User =>
  principal.id === 'anonymous' ? new UnauthenticatedUser() : { isAuthenticated: true, userName: principal.id };
