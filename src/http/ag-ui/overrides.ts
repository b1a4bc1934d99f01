/** What a request changes about its agent for one run: model, prompt, options, tools of the client, context. Pure. */

import type { RunOverrides } from '../../actors/engine.js';
import type { ModelOptions } from '../../agents/types.js';
import type { JsonObject } from '../../json.js';
import type { Config, RunAgentInput } from './request.js';

const ANYTHING: JsonObject = { type: 'object', properties: {} };

/** Undefined when the request changes nothing. */
export function overridesOf({ model, systemPrompt, config, tools, context }: RunAgentInput): RunOverrides | undefined {
  const overrides: RunOverrides = {};
  if (model) overrides.model = model;
  if (systemPrompt) overrides.system_prompt = systemPrompt;
  const mode = config?.tool_execution_mode ?? config?.toolExecutionMode;
  if (mode) overrides.tool_execution_mode = mode;
  const options = modelOptions(config);
  if (options) overrides.model_options = options;
  const frontend = frontendTools(tools);
  if (frontend.length > 0) overrides.frontend_tools = frontend;
  if (context.length > 0) overrides.context = [context.map(contextText).join('\n')];
  return Object.keys(overrides).length > 0 ? overrides : undefined;
}

/** The last descriptor of a name counts. */
function frontendTools(tools: RunAgentInput['tools']): NonNullable<RunOverrides['frontend_tools']> {
  const byName = new Map<string, NonNullable<RunOverrides['frontend_tools']>[number]>();
  for (const { name, description, parameters, execute } of tools) {
    if (execute === 'backend') continue;
    byName.set(name, { name, description: description ?? '', parameters: (parameters ?? ANYTHING) as JsonObject });
  }
  return [...byName.values()];
}

function contextText(entry: RunAgentInput['context'][number]): string {
  if (typeof entry === 'string') return entry;
  const value = typeof entry.value === 'string' ? entry.value : JSON.stringify(entry.value ?? null);
  return entry.description ? `${entry.description}: ${value}` : value;
}

function modelOptions(config: Config | null | undefined): ModelOptions | undefined {
  if (!config) return undefined;
  const { temperature, seed, stop } = config;
  const top_p = config.top_p ?? config.topP;
  const limit = config.max_output_tokens ?? config.maxOutputTokens ?? config.max_tokens ?? config.maxTokens;
  const options: ModelOptions = {
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof top_p === 'number' ? { top_p } : {}),
    ...(typeof limit === 'number' ? { max_output_tokens: limit } : {}),
    ...(typeof seed === 'number' ? { seed } : {}),
    ...(stop ? { stop: typeof stop === 'string' ? [stop] : stop } : {}),
  };
  return Object.keys(options).length > 0 ? options : undefined;
}
