/** The query of message lists, on every surface (CONTRACT 3.2). */

import { z } from 'zod';
import { query } from './query.js';
import { visibility } from './visibility.js';

export const messagesQuery = z.object({
  after: query.integer('Cursors greater than this one.'),
  before: query.integer('Cursors less than this one.'),
  order: query.order(),
  run_id: query.id(),
  visibility: visibility(),
  limit: query.limit(),
});
