/**
 * The `Idempotency-Key` header (CONTRACT 1.10): whoever repeats a request under the same key names the same things by it.
 *
 * A request may leave the id of its run and of its decisions to the server. Under a key these ids follow from the caller
 * and the key alone, so a repetition meets what it has started or decided before, also after a crash: nothing is kept for
 * it beside the run and the decision themselves. Two callers never meet.
 */

import { derivedId } from '../actors/derived-id.js';
import { badRequest } from '../errors.js';
import type { Ctx } from './context.js';

/** The ids that a request gives to what it leaves unnamed. */
export type RequestIds = {
  run_id: string;
  /** The id of this request's decision on a pending call. */
  decision_id: (target_id: string) => string;
};

const KEY = /^[\x21-\x7e]{1,256}$/;

/** Undefined when the request has no key. Throws `bad_request` for one that is not 1 to 256 visible ASCII characters. */
export function requestIds(ctx: Ctx): RequestIds | undefined {
  const key = ctx.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !KEY.test(key))
    throw badRequest('Idempotency-Key: expected 1 to 256 visible characters');
  const { id } = ctx.state.principal;
  return {
    run_id: derivedId('idempotency key', id, key, 'run'),
    decision_id: (target_id) => derivedId('idempotency key', id, key, 'decision', target_id),
  };
}
