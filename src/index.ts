/** What a program that embeds or configures a server imports. */

export { createServer, type ServerOptions } from './create-server.js';
export { HttpServer } from './http/server.js';
export { parseTokens, type Token } from './http/tokens.js';
export { defineAgent, type AgentDefinition } from './agents/agent.js';
export { defineRemoteAgent, type RemoteAgentDefinition } from './agents/remote/define.js';
export { defineConfig, type Config } from './agents/config.js';
export { configJsonSchema } from './agents/config-schema.js';
export type { ProvidersConfig } from './agents/providers/resolver.js';
export type { PermissionRule } from './agents/rules/permissions.js';
export type { StopConditionDefinition } from './agents/rules/stop-conditions.js';
export { ConfigError } from './agents/config-error.js';
export { defineTool } from './agents/tool.js';
export { ToolEffect, type Agent, type Question, type Tool, type ToolContext, type ToolState } from './agents/types.js';
export { AgentServerError, ErrorCode } from './errors.js';
export type { CanonicalEvent, EventData, EventType, Suspension } from './actors/events.js';
export type { Decision, Message, RunRecord } from './actors/records.js';
export type { JsonObject, JsonValue } from './json.js';
