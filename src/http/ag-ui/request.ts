/**
 * RunAgentInput as this server reads it (spec, "RunAgentInput fields"; CONTRACT-PROTOCOLS 6.1).
 *
 * Lenient where clients differ: message ids may be missing, history that is ours anyway (assistant, reasoning, activity)
 * is not looked into, and what clients of 1.0 strip from the top level is read from `forwardedProps` too; the top level
 * wins. `forwardedProps` belongs to the application, so anything there that does not fit is none of ours and is ignored;
 * only `decisions` is held to its shape wherever it stands, because a decision must not be lost quietly.
 */

import { z } from 'zod';
import { badRequest } from '../../errors.js';
import type { JsonObject, JsonValue } from '../../json.js';
import { decisionSchema } from '../runs/start-payload.js';
import { onBusy, onDisconnect, toolExecutionMode } from '../start-fields.js';
import { jsonObject, optionalId, parseBody, requiredId } from '../validation.js';

const contentPart = z.looseObject({ type: z.string(), text: z.string().nullish() });
const content = z.union([z.string(), z.array(contentPart)], { error: 'expected a string or an array of parts' });

const message = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['user', 'system', 'developer']), id: optionalId, content }),
  z.object({
    role: z.literal('tool'),
    id: optionalId,
    toolCallId: requiredId,
    content: content.nullish(),
    error: z.string().nullish(),
  }),
  z.object({ role: z.enum(['assistant', 'reasoning', 'activity']), id: optionalId }),
]);

const tool = z.object({
  name: z.string().min(1, 'cannot be empty'),
  description: z.string().nullish(),
  parameters: jsonObject.nullish(),
  /** `backend`: a tool the agent has anyway. */
  execute: z.enum(['frontend', 'backend']).nullish(),
});

const described = z.object({ description: z.string().nullish(), value: z.unknown().optional() });
const contextEntry = z.union([z.string(), described], { error: 'expected a text or {description, value}' });

const resumeEntry = z.object({
  interruptId: requiredId,
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
});

const number = z.number().nullish();
const count = z.int().min(1).nullish();
const stop = z.union([z.string(), z.array(z.string())]).nullish();
const config = z.object({
  tool_execution_mode: toolExecutionMode,
  toolExecutionMode,
  temperature: number,
  top_p: number,
  topP: number,
  max_output_tokens: count,
  maxOutputTokens: count,
  max_tokens: count,
  maxTokens: count,
  stop,
  seed: z.int().nullish(),
});

const text = z.string().nullish();
const decisions = z.array(decisionSchema).nullish();

/** Fields that are not AG-UI's own. */
const extensions = z.object({
  parentThreadId: optionalId,
  model: text,
  systemPrompt: text,
  config: config.nullish(),
  decisions,
  on_busy: onBusy,
  onBusy,
  on_disconnect: onDisconnect,
  onDisconnect,
});

/** The same where the application may have put anything. */
const forwarded = z.object({
  parentThreadId: optionalId.catch(undefined),
  model: text.catch(null),
  systemPrompt: text.catch(null),
  config: config.nullish().catch(null),
  decisions,
  on_busy: onBusy.catch(null),
  onBusy: onBusy.catch(null),
  on_disconnect: onDisconnect.catch(null),
  onDisconnect: onDisconnect.catch(null),
});

export const runAgentInputSchema = extensions.extend({
  threadId: optionalId,
  runId: optionalId,
  parentRunId: optionalId,
  protocolVersion: text,
  messages: z.array(message).nullish(),
  tools: z.array(tool).nullish(),
  context: z.array(contextEntry).nullish(),
  state: jsonObject.nullish(),
  resume: z.array(resumeEntry).nullish(),
  forwardedProps: z.unknown().optional(),
});

type Parsed = z.output<typeof runAgentInputSchema>;
export type GivenMessage = z.output<typeof message>;
export type GivenContent = z.output<typeof content>;
export type GivenDecision = z.output<typeof decisionSchema>;
export type ResumeEntry = { interruptId: string; status: 'resolved' | 'cancelled'; payload: JsonValue | undefined };
export type Config = z.output<typeof config>;

/** A request with its ids checked and its extensions in one place. */
export type RunAgentInput = Omit<z.output<typeof extensions>, 'decisions'> & {
  threadId: string;
  runId: string;
  parentRunId: string | undefined;
  /** The client speaks AG-UI 1.0 or newer. */
  v1: boolean;
  messages: GivenMessage[];
  tools: NonNullable<Parsed['tools']>;
  context: NonNullable<Parsed['context']>;
  state: JsonObject | undefined;
  resume: ResumeEntry[];
  decisions: GivenDecision[];
};

/** Reads a request. Throws `bad_request`. */
export function readRunAgentInput(body: unknown): RunAgentInput {
  const p = parseBody(runAgentInputSchema, body);
  if (p.threadId === undefined) throw badRequest('threadId cannot be empty');
  if (p.runId === undefined) throw badRequest('runId cannot be empty');
  const props = readForwarded(p.forwardedProps);
  return {
    threadId: p.threadId,
    runId: p.runId,
    parentRunId: p.parentRunId,
    v1: speaksV1(p.protocolVersion),
    messages: p.messages ?? [],
    tools: p.tools ?? [],
    context: p.context ?? [],
    state: (p.state ?? undefined) as JsonObject | undefined,
    resume: (p.resume ?? []) as ResumeEntry[],
    parentThreadId: p.parentThreadId ?? props.parentThreadId,
    model: p.model ?? props.model,
    systemPrompt: p.systemPrompt ?? props.systemPrompt,
    config: p.config ?? props.config,
    decisions: p.decisions ?? props.decisions ?? [],
    on_busy: p.on_busy ?? p.onBusy ?? props.on_busy ?? props.onBusy,
    on_disconnect: p.on_disconnect ?? p.onDisconnect ?? props.on_disconnect ?? props.onDisconnect,
  };
}

/** A version of the published grammar, `<major>.<minor>`, from 1.0 on. */
export const speaksV1 = (version: string | null | undefined): boolean => /^[1-9]\d*\.\d+$/.test(version ?? '');

function readForwarded(props: unknown): Partial<z.output<typeof forwarded>> {
  if (typeof props !== 'object' || props === null || Array.isArray(props)) return {};
  return parseBody(z.object({ forwardedProps: forwarded }), { forwardedProps: props }).forwardedProps;
}
