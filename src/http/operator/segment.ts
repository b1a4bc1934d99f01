/** A segment of the path, decoded: read from the path itself, because the router would turn a `+` into a space. */

import { badRequest } from '../../errors.js';
import type { Ctx } from '../context.js';

/** Throws `bad_request` for a broken encoding. */
export function segment(ctx: Pick<Ctx, 'path'>, at: number, name: string): string {
  try {
    return decodeURIComponent(ctx.path.split('/')[at] ?? '');
  } catch {
    throw badRequest(`${name}: malformed percent-encoding`);
  }
}
