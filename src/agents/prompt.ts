/**
 * A thread's history as the prompt of a model call. Pure.
 *
 * Guarantees: the system prompt comes first; every tool call of the prompt is followed by its result before anybody
 * else speaks, which is what providers insist on. A history that breaks this rule is a fault of the server, not of the
 * provider, so it is refused here by name (not retryable) instead of being mended quietly: a call without a result or
 * a result without a call would make the model reason about something that never happened.
 *
 * An assistant message that says nothing (no text, no calls: a run stopped before its first word) is left out, since
 * providers refuse empty messages. Arguments that are not an object (text that did not parse) travel as
 * `{"raw_arguments": …}`, since providers take objects only; the failed result beside them tells the model why.
 */

import type { LanguageModelV3Message, LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from '@ai-sdk/provider';
import type { JsonValue } from '../json.js';
import { InferenceError, type HistoryMessage } from './types.js';

/** Builds the prompt. Throws `InferenceError` (not retryable) when calls and results do not match up. */
export function toPrompt(system_prompt: string | undefined, history: readonly HistoryMessage[]): LanguageModelV3Prompt {
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
    const said = toMessage(message);
    if (said) prompt.push(said);
    for (const call of message.tool_calls ?? []) open.set(call.id, call.name);
  }
  refuseOpen(open);
  return prompt;
}

function toMessage(message: HistoryMessage): LanguageModelV3Message | undefined {
  if (message.role === 'system') return { role: 'system', content: message.content };
  if (message.role === 'user') return { role: 'user', content: [{ type: 'text', text: message.content }] };
  const content: Extract<LanguageModelV3Message, { role: 'assistant' }>['content'] = [];
  if (message.content !== '') content.push({ type: 'text', text: message.content });
  for (const call of message.tool_calls ?? []) {
    content.push({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: asObject(call.arguments) });
  }
  return content.length === 0 ? undefined : { role: 'assistant', content };
}

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

const asObject = (args: JsonValue): JsonValue =>
  typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { raw_arguments: args };

const brokenHistory = (what: string): InferenceError =>
  new InferenceError(`the thread's history cannot be sent to a model: ${what}`, false);
