/** What a program that embeds or configures a server imports. */

export { createServer, type ServerOptions } from './create-server.js';
export { HttpServer } from './http/server.js';
export { parseTokens, type Token } from './http/tokens.js';
export { defineAgent, type AgentDefinition } from './agents/agent.js';
export { defineConfig, type Config } from './agents/config.js';
export { ConfigError } from './agents/config-error.js';
export { defineTool } from './agents/tool.js';
export { ToolEffect, type Agent, type Tool, type ToolContext } from './agents/types.js';
export { AgentServerError, ErrorCode } from './errors.js';
export type { CanonicalEvent, EventData, EventType, Suspension } from './actors/events.js';
export type { Decision, Message, RunRecord } from './actors/records.js';
export type { JsonObject, JsonValue } from './json.js';
