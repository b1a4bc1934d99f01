/** What chat SDK clients get as JSON. Parts and chunks are the SDK's own affair: only their common part is named. */

import { z } from 'zod';
import { messagePageOf } from '../answers.js';

const text = z.string();

const uiMessage = z
  .object({
    id: text,
    role: z.enum(['system', 'user', 'assistant']),
    metadata: z.object({ runId: text, threadId: text }).optional(),
    parts: z.array(z.looseObject({ type: text })),
  })
  .meta({ id: 'UiMessage' });

export const historyPage = messagePageOf(uiMessage);

export const uiChunk = z
  .looseObject({ type: text })
  .meta({ id: 'UiMessageChunk', description: 'A chunk of the UI message stream protocol, version 6.' });

export const decisionForwarded = z.object({ status: z.literal('decision_forwarded'), threadId: text });
