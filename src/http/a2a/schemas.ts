/** What the routes of the interface's own dialect answer. */

import { z } from 'zod';
import { anyObject } from '../answers.js';

const text = z.string();

const endpoint = z.object({ url: text, transport: text });

/** Cards say the same thing to three kinds of clients (`card.ts`). */
export const agentCardSchema = z
  .object({
    protocolVersion: text,
    name: text,
    description: text,
    version: text,
    url: text.describe('relative to the base address'),
    preferredTransport: text,
    additionalInterfaces: z.array(endpoint),
    supportedInterfaces: z.array(z.object({ url: text, protocolBinding: text, protocolVersion: text })),
    capabilities: z.object({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      extendedAgentCard: z.boolean(),
      taskManagement: z.boolean(),
      agentDiscovery: z.boolean(),
      extensions: z.array(z.object({ uri: text, description: text, required: z.boolean() })),
    }),
    supportsAuthenticatedExtendedCard: z.boolean(),
    defaultInputModes: z.array(text),
    defaultOutputModes: z.array(text),
    skills: z.array(z.object({ id: text, name: text, description: text, tags: z.array(text) })),
    securitySchemes: anyObject.optional(),
    security: z.array(anyObject).optional(),
    securityRequirements: z.array(anyObject).optional(),
  })
  .meta({ id: 'AgentCard' });

export const agentList = z.array(
  z.object({ agentId: text, name: text, description: text, agentCardUrl: text, messageSendUrl: text }),
);

export const sendAccepted = z.object({
  contextId: text,
  taskId: text,
  status: z.enum(['submitted', 'decision_forwarded']),
});

export const cancelAccepted = z.object({ taskId: text, status: z.literal('cancel_requested') });
