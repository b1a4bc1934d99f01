/** The dialect of a stream that is asked for without a body: `?protocolVersion=1.0` (or `protocol_version`). */

import { z } from 'zod';
import type { Ctx } from '../context.js';
import { parseQuery, query } from '../query.js';
import type { Variant } from './encoder.js';
import { speaksV1 } from './request.js';

const version = query.text('Version of AG-UI that the client speaks.');

export const variantQuery = z.object({ protocolVersion: version, protocol_version: version });

export function variantOf(ctx: Ctx): Variant {
  const { protocolVersion, protocol_version } = parseQuery(variantQuery, ctx);
  return { v1: speaksV1(protocolVersion ?? protocol_version) };
}
