/**
 * The bounds of the runtime that a configuration may set, by the names the runtime has for them (milliseconds, bytes and
 * counts); what is left out keeps the runtime's default (CONTRACT 1.13, 1.16).
 */

import { z } from 'zod';
import { section } from './schema.js';

const count = z.int().min(1);
const ms = z.int().min(1);
const bytes = z.int().min(1024);

export const limits = section({
  max_running: count.optional().describe('Runs that may be running at once in the process.'),
  hot_threads: count.optional().describe('Threads kept in memory while nothing happens on them.'),
  inbox_bytes: bytes.optional().describe('Uncommitted deltas of one thread before its producers wait.'),
  mailbox_entries: count.optional().describe('Queued entries of one thread before starts are refused (429).'),
  uncommitted_bytes: bytes.optional().describe('Uncommitted bytes of the process before starts are refused (503).'),
  feed_chunks: count.optional().describe('Chunks of an active run kept for its readers.'),
  cancel_ms: ms.optional().describe('Time a cancelled run waits for its running tools.'),
  retry_ms: ms.optional().describe('First pause after an error of a provider; it doubles.'),
  model_idle_ms: ms.optional().describe('Silence of a provider after which its call has failed.'),
  tool_timeout_ms: ms.optional().describe('Time one tool execution may take, unless the tool says otherwise.'),
});

export type ConfigLimits = z.output<typeof limits>;
