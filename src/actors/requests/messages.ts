/** Messages of a start request as rows of the thread. */

import { v7 as uuidv7 } from 'uuid';
import type { Message, StartMessage } from '../records.js';

export const startMessage = (
  { id, role, content }: StartMessage,
  run_id: string,
): Omit<Message, 'cursor' | 'created_at'> => ({ id: id ?? uuidv7(), role, content, run_id, step: null });
