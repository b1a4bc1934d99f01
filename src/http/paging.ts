/** The query parameters that all offset lists share (CONTRACT 0.3, 0.5). */

import { z } from 'zod';
import { query } from './query.js';

/** Which piece of a list. */
export const paging = { offset: query.offset(), limit: query.limit() };
export const pagingQuery = z.object(paging);
