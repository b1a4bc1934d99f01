/** The shapes that answers of all surfaces share. */

import { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.js';

/** Any JSON: what people, models and tools say is nobody's business here. */
export const anyJson = z.custom<JsonValue>(() => true).register(z.globalRegistry, { description: 'any JSON value' });
export const anyObject = z.custom<JsonObject>(() => true).register(z.globalRegistry, { type: 'object' });

/** Unix milliseconds. */
export const time = z.int().describe('unix milliseconds');

/** An offset list (CONTRACT 0.5). `total` counts all that match. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), total: z.int().min(0), has_more: z.boolean() });

/** A list of messages by cursor (CONTRACT 3.2). */
export const messagePageOf = <T extends z.ZodType>(message: T) =>
  z.object({
    messages: z.array(message),
    has_more: z.boolean(),
    next_cursor: z.int().nullable(),
    prev_cursor: z.int().nullable(),
  });
