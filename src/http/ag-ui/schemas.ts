/** What AG-UI clients get as JSON. The events of the protocol are its own affair: only their common part is named. */

import { z } from 'zod';
import { messagePageOf, time } from '../answers.js';
import type { AgUiMessage } from './events.js';

const text = z.string();

const call = z.object({
  id: text,
  type: z.literal('function'),
  function: z.object({ name: text, arguments: text }),
});

const agUiMessage = z
  .discriminatedUnion('role', [
    z.object({ id: text, role: z.enum(['user', 'system']), content: text }),
    z.object({
      id: text,
      role: z.literal('assistant'),
      content: text.optional(),
      toolCalls: z.array(call).optional(),
    }),
    z.object({ id: text, role: z.literal('tool'), toolCallId: text, content: text, error: text.optional() }),
  ])
  .meta({ id: 'AgUiMessage' }) satisfies z.ZodType<AgUiMessage>;

export const historyPage = messagePageOf(agUiMessage);

export const agUiEvent = z
  .looseObject({ type: text, timestamp: time })
  .meta({ id: 'AgUiEvent', description: 'An event of the AG-UI protocol.' });

export const decisionForwarded = z.object({
  status: z.literal('decision_forwarded'),
  threadId: text,
  runId: text,
});
