/**
 * The schema of a configuration: what checks it, and what editors are told (`agent-server config schema`).
 */

import { z } from 'zod';
import type { JsonObject } from '../json.js';
import { isTool } from './agent.js';
import { agentShape } from './agent-schema.js';
import { limits } from './config-limits.js';
import { serverLimits } from './config-server-limits.js';
import { providersSchema } from './providers/resolver.js';
import { remoteAgentSection } from './remote/schema.js';
import { condition, conditionOutline } from './rules/permission-schema.js';
import { section } from './schema.js';
import type { Tool } from './types.js';

/** When a commit counts as done. */
export const Durability = {
  /** On the disk (fsync): survives a power cut. The default. */
  disk: 'disk',
  /** With the operating system: survives the end of the process, not of the machine. */
  process: 'process',
} as const;
export type Durability = (typeof Durability)[keyof typeof Durability];

const push = section({
  allow_private: z.boolean().default(false).describe('Receivers may be inside the network of this server.'),
  secret_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
    .nullable()
    .default(null)
    .describe('The environment variable that holds what notifications are signed with.'),
  timeout_ms: z.int().min(1).max(600_000).default(10_000).describe('What a receiver may take to answer.'),
});

export const server = section({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8080).describe('0 takes a free port.'),
  cors_origins: z.array(z.string().min(1)).default([]),
  body_limit: z
    .string()
    .regex(/^0*[1-9]\d*[kKmM]?[bB]$/, 'must be a size such as "2mb"')
    .default('2mb'),
  shutdown_grace_ms: z
    .int()
    .min(0)
    .max(24 * 60 * 60 * 1000)
    .default(5_000)
    .describe('What running tools that must not be repeated get to end when the server stops.'),
  push: push.prefault({}).describe('Push notifications of A2A.'),
  limits: serverLimits.prefault({}).describe('What callers may take of the server.'),
  auth_token_file: z.string().min(1).nullable().default(null).describe('Bearer tokens, one a line.'),
  backup_dir: z.string().min(1).nullable().default(null).describe('Backups go below it; null: none can be made.'),
});

export const retention = section({
  events_days: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe("Days a finished run's events are kept; null keeps them for ever."),
});

const model = z.string().min(1).describe('<provider>:<model id>');

/** A tool by its name in the tools module, or the tool itself. */
const toolReference = z.union([z.string().min(1), z.custom<Tool>(isTool)], 'must be the name of a tool');

export const agentSection = section({ ...agentShape, model, tools: z.array(toolReference).default([]) });

const shape = {
  $schema: z.string().optional().describe('Where this schema is, for editors.'),
  tools: z.string().min(1).optional().describe('Path of the module that exports the tools, from this file.'),
  server: server.prefault({}),
  durability: z.enum(Durability).default(Durability.disk),
  retention: retention.prefault({}),
  limits: limits.prefault({}),
};

/** Providers and agents are checked one by one, where the names they use are known. */
export const configSection = section({
  providers: z.unknown().optional(),
  agents: z.array(z.unknown()).min(1, 'at least one agent is needed'),
  ...shape,
});

/** JSON Schema (2020-12) of a configuration file, keys in snake_case. */
export function configJsonSchema(): JsonObject {
  const localAgent = section({ ...agentShape, model, tools: z.array(z.string().min(1)).default([]) });
  const file = section({
    ...shape,
    providers: providersSchema.optional(),
    agents: z.array(z.union([localAgent, remoteAgentSection])).min(1),
  });
  const outline = z.toJSONSchema(conditionOutline, { io: 'input' });
  const schema = z.toJSONSchema(file, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema === condition) jsonSchema.anyOf = outline.anyOf!;
    },
  });
  return { title: 'agent-server configuration', ...(JSON.parse(JSON.stringify(schema)) as JsonObject) };
}
