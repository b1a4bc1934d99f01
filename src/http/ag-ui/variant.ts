/** The dialect of a stream that is asked for without a body: `?protocolVersion=1.0` (or `protocol_version`). */

import type { Ctx } from '../context.js';
import type { Variant } from './encoder.js';
import { speaksV1 } from './request.js';

export function variantOf(ctx: Ctx): Variant {
  const version = ctx.query.protocolVersion ?? ctx.query.protocol_version;
  return { v1: typeof version === 'string' && speaksV1(version) };
}
