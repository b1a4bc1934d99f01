/**
 * A thread's history as the prompt of a model call. Pure.
 *
 * Guarantees: the system prompt comes first; every tool call of the prompt is followed by its result before anybody
 * else speaks, which is what providers insist on. A history that breaks this rule is a fault of the server, not of the
 * provider, so it is refused here by name (not retryable) instead of being mended quietly: a call without a result or
 * a result without a call would make the model reason about something that never happened.
 *
 * An assistant message that says nothing (no text, no calls: a run stopped before its first word) is left out, since
 * providers refuse empty messages. An answer that came with a trace is told to the model that gave it as it gave it, to
 * any other model in our words. Arguments that are not an object (text that did not parse) travel as
 * `{"raw_arguments": …}`, since providers take objects only; the failed result beside them tells the model why.
 */

import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolCallPart,
  LanguageModelV3ToolResultPart,
} from '@ai-sdk/provider';
import { isObject, type JsonValue } from '../json.js';
import { InferenceError, type HistoryMessage, type ProviderTrace } from './model-call.js';

/**
 * Builds the prompt. `model` is the `modelKey` of who is asked. Throws `InferenceError` (not retryable) when calls and
 * results do not match up.
 */
export function toPrompt(
  system_prompt: string | undefined,
  history: readonly HistoryMessage[],
  model: string,
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  if (system_prompt) prompt.push({ role: 'system', content: system_prompt });
  /** Calls of the last assistant message that have no result yet: id → tool name. */
  const open = new Map<string, string>();
  for (const message of history) {
    if (message.role === 'tool') {
      addResult(prompt, toResult(message, open));
      continue;
    }
    refuseOpen(open);
    const said = toMessage(message, model);
    if (said) prompt.push(said);
    for (const call of message.tool_calls ?? []) open.set(call.id, call.name);
  }
  refuseOpen(open);
  return prompt;
}

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type StoredCall = NonNullable<HistoryMessage['tool_calls']>[number];

function toMessage(message: HistoryMessage, model: string): LanguageModelV3Message | undefined {
  if (message.role === 'system') return { role: 'system', content: message.content };
  if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.content }] };
  if (message.content === '' && !message.tool_calls?.length) return undefined;
  const traced = message.trace?.model === model ? fromTrace(message, message.trace) : undefined;
  return { role: 'assistant', content: traced ?? inOurWords(message) };
}

function inOurWords({ content, tool_calls = [] }: HistoryMessage): AssistantContent {
  return [...(content === '' ? [] : [{ type: 'text' as const, text: content }]), ...tool_calls.map(toCall)];
}

/** Undefined when the trace does not fit the message: somebody changed what was said, so its signatures are void. */
function fromTrace({ content, tool_calls = [] }: HistoryMessage, trace: ProviderTrace): AssistantContent | undefined {
  const calls = new Map(tool_calls.map((call) => [call.id, call]));
  let told = 0;
  const parts: AssistantContent = [];
  for (const part of trace.parts) {
    const options = part.metadata ? { providerOptions: part.metadata } : {};
    if (part.type === 'reasoning') parts.push({ type: 'reasoning', text: part.text, ...options });
    else if (part.type === 'text') {
      parts.push({ type: 'text', text: content.slice(told, told + part.length), ...options });
      told += part.length;
    } else {
      const call = calls.get(part.id);
      if (!call) return undefined;
      calls.delete(part.id);
      parts.push({ ...toCall(call), ...options });
    }
  }
  return told === content.length && calls.size === 0 ? parts : undefined;
}

const toCall = ({ id, name, arguments: args }: StoredCall): LanguageModelV3ToolCallPart => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: name,
  input: asObject(args),
});

/** The result as text, exactly as it is stored; takes its call out of `open`. */
function toResult(message: HistoryMessage, open: Map<string, string>): LanguageModelV3ToolResultPart {
  const id = message.tool_call_id ?? '';
  const toolName = open.get(id);
  if (toolName === undefined) throw brokenHistory(`a tool result answers the call "${id}", which is not open`);
  open.delete(id);
  const output = { type: message.is_error ? ('error-text' as const) : ('text' as const), value: message.content };
  return { type: 'tool-result', toolCallId: id, toolName, output };
}

/** Results in a row are one message. */
function addResult(prompt: LanguageModelV3Prompt, result: LanguageModelV3ToolResultPart): void {
  const last = prompt.at(-1);
  if (last?.role === 'tool') last.content.push(result);
  else prompt.push({ role: 'tool', content: [result] });
}

function refuseOpen(open: ReadonlyMap<string, string>): void {
  for (const [id, name] of open) throw brokenHistory(`the call "${id}" of ${name} has no result`);
}

const asObject = (args: JsonValue): JsonValue => (isObject(args) ? args : { raw_arguments: args });

const brokenHistory = (what: string): InferenceError =>
  new InferenceError(`the thread's history cannot be sent to a model: ${what}`, false);
