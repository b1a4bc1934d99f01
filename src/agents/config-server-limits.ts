/** What callers may take of the server: `server.limits` of a configuration. Null: no bound. */

import { z } from 'zod';
import { section } from './schema.js';

const count = z.int().min(1);
const DAY_MS = 24 * 60 * 60 * 1000;

export const serverLimits = section({
  requests_per_second: z.number().positive().nullable().default(null).describe('Of one caller; beyond it 429.'),
  request_burst: count.default(100).describe('Requests of one caller that may come at once, when there is a rate.'),
  streams: count.default(20_000).describe('Event streams open at once in the process; beyond it 503.'),
  streams_per_caller: count.nullable().default(null).describe('The same of one caller; beyond it 429.'),
  headers_ms: count.default(15_000).describe('Time the headers of a request may take to arrive.'),
  request_ms: count.default(120_000).describe('Time a whole request may take to arrive.'),
  keep_alive_ms: count.max(DAY_MS).default(15_000).describe('Silence of an event stream before a comment is sent.'),
  header_bytes: z.int().min(1024).default(16_384).describe('Headers of a request; beyond it 431.'),
});
export type ServerLimits = z.output<typeof serverLimits>;
