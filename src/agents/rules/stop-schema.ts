/** What a configuration may say about stop conditions. */

import { z } from 'zod';
import { choice } from '../schema.js';
import { pattern, toolName } from './permission-schema.js';
import type { StopCondition } from './stop-conditions.js';
import { MAX_STEPS } from './stop-memory.js';

const count = z.int().min(1);

export const stopCondition: z.ZodType<StopCondition> = choice('type', {
  stop_on_tool: { tool: toolName },
  content_match: { pattern },
  timeout: { ms: count },
  token_budget: { tokens: count },
  consecutive_errors: { count },
  loop_detection: {
    window: z.int().min(2).max(MAX_STEPS).default(10),
    threshold: z.int().min(2).max(MAX_STEPS).default(3),
  },
  max_rounds: { rounds: count },
}).refine(
  (condition) => condition.type !== 'loop_detection' || condition.threshold <= condition.window,
  'threshold must not be above window',
);
