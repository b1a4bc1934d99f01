/** The query parameters that all lists share (CONTRACT 0.3, 0.5). */

import type { Ctx } from './context.js';
import { queryEnum, queryLimit, queryOffset } from './validation.js';

/** Which piece of an offset list. Throws `bad_request`. */
export const pagingOf = ({ query }: Ctx): { offset: number; limit: number } => ({
  offset: queryOffset(query.offset),
  limit: queryLimit(query.limit),
});

/** `asc` when absent. Throws `bad_request`. */
export const orderOf = ({ query }: Ctx): 'asc' | 'desc' => queryEnum('order', query.order, ['asc', 'desc']) ?? 'asc';
