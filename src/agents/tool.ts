/**
 * `defineTool`: what a user writes, as the `Tool` the runtime executes (CONTRACT 10.2).
 *
 * A tool is `once` unless it says otherwise: after a crash in the middle of such a call a person decides, because
 * nobody else can know whether it happened (CONTRACT 1.15). A tool without `execute` is executed by the client.
 */

import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../json.js';
import { ConfigError } from './config-error.js';
import { inputSchema } from './input-schema.js';
import { ToolEffect, type Tool, type ToolContext } from './types.js';

type Result = JsonValue | undefined | void;

export type ToolDefinition<Input, Schema> = {
  /** 1–64 letters, digits, `_` or `-`: what every provider accepts. */
  name: string;
  /** For the model: what the tool does and when to use it. */
  description: string;
  /** The arguments: a zod 4 schema, or JSON Schema with an object at its root. */
  input: Schema;
  effect?: ToolEffect;
  timeout_ms?: number;
  /** The same, for those who write camelCase. */
  timeoutMs?: number;
  permission?: Tool['permission'];
  execute?(this: void, input: Input, context: ToolContext): Promise<Result> | Result;
};

/**
 * Makes a tool. Throws `ConfigError` that names the tool and what is wrong with its definition.
 *
 * ```ts
 * const refund = defineTool({
 *   name: 'refund',
 *   description: 'Pays an order back.',
 *   input: z.object({ order: z.string(), eur: z.number().positive() }),
 *   permission: 'ask',
 *   execute: async ({ order, eur }, { signal }) => payBack(order, eur, signal),
 * });
 * ```
 */
export function defineTool<Schema extends z.core.$ZodType>(
  definition: ToolDefinition<z.core.output<Schema>, Schema>,
): Tool;
export function defineTool(definition: ToolDefinition<JsonObject, JsonObject>): Tool;
export function defineTool(definition: ToolDefinition<never, unknown>): Tool {
  const { name, description, input, effect = ToolEffect.once, permission, execute } = definition;
  const timeout_ms = definition.timeout_ms ?? definition.timeoutMs;
  const problems = faults(definition, effect, timeout_ms);
  const schema = attempt(() => inputSchema(input), problems);
  if (!schema) throw new ConfigError(problems.map((problem) => `tool ${JSON.stringify(name)}: ${problem}`));
  return Object.freeze({
    name,
    description,
    ...schema,
    effect,
    ...(timeout_ms === undefined ? {} : { timeout_ms }),
    ...(permission === undefined ? {} : { permission }),
    ...(execute === undefined ? {} : { execute: execute as NonNullable<Tool['execute']> }),
  });
}

/** Definitions also come from JavaScript, where types do not help. */
function faults(definition: ToolDefinition<never, unknown>, effect: string, timeout_ms: unknown): string[] {
  const { name, description, permission, execute } = definition;
  const problems: string[] = [];
  const require = (holds: boolean, problem: string) => holds || problems.push(problem);
  require(typeof name === 'string' &&
    /^[A-Za-z0-9_-]{1,64}$/.test(name), 'name must be 1 to 64 letters, digits, "_" or "-"');
  require(typeof description === 'string' && description !== '', 'description must be a text');
  require(Object.hasOwn(ToolEffect, effect), `effect must be one of ${Object.keys(ToolEffect).join(', ')}`);
  require(timeout_ms === undefined ||
    (typeof timeout_ms === 'number' && timeout_ms > 0), 'timeout_ms must be a number of milliseconds above 0');
  require(permission === undefined ||
    ['allow', 'ask', 'deny'].includes(permission), 'permission must be one of allow, ask, deny');
  require(execute === undefined || typeof execute === 'function', 'execute must be a function');
  return problems;
}

/** The schema, or undefined when there is any problem, its own included. */
function attempt<T>(make: () => T, problems: string[]): T | undefined {
  try {
    const made = make();
    return problems.length === 0 ? made : undefined;
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}
