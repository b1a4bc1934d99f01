/**
 * What the definition of an agent may say, in code and in a file alike (CONTRACT 10.1). All but `model` and `tools`,
 * which differ between the two.
 */

import { z } from 'zod';
import { permissionRule } from './rules/permission-schema.js';
import { stopCondition } from './rules/stop-schema.js';
import { section } from './schema.js';
import { busyPolicies, disconnectPolicies, executionModes } from './types.js';

const agentId = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  // eslint-disable-next-line no-control-regex
  .regex(/^[^\x00-\x1f\x7f]*$/, 'must not contain control characters');

const modelOptions = section({
  temperature: z.number().min(0).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_output_tokens: z.int().min(1).optional(),
  stop: z.array(z.string().min(1)).optional(),
  seed: z.int().optional(),
});

export const agentShape = {
  id: agentId,
  name: z.string().optional().describe('Default: the id.'),
  description: z.string().default(''),
  system_prompt: z.string().optional(),
  permissions: z
    .array(permissionRule)
    .default([])
    .describe('In order; the first rule that matches a call decides, else the tool itself.'),
  tool_execution_mode: z.enum(executionModes).optional(),
  max_rounds: z.int().min(1).default(10).describe('Model calls of one run.'),
  max_retries: z.int().min(0).default(2).describe('Retries of one step after an error of the provider.'),
  stop_conditions: z
    .array(stopCondition)
    .default([])
    .describe('In order; the first that holds after a step ends the run.'),
  model_options: modelOptions.default({}),
  provider_options: z
    .record(z.string().min(1), z.record(z.string(), z.json()))
    .optional()
    .describe(
      'Options of the provider package, by its namespace: openai, anthropic, google, or the name of a provider.',
    ),
  delegates: z.array(agentId).default([]).describe('Ids of the agents it may run as sub-agents.'),
  on_disconnect: z.enum(disconnectPolicies).default('continue'),
  on_busy: z.enum(busyPolicies).optional(),
  approval_expiry_ms: z.int().min(1).optional().describe('A pending approval then counts as denied. Default: never.'),
  max_concurrent: z.int().min(1).optional().describe('Runs of this agent that may be running at once.'),
};
