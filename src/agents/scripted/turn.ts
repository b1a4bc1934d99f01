/**
 * What a scripted model sees of its prompt: the last thing the user said, and the tool results that came after it.
 */

import type { LanguageModelV3Prompt } from '@ai-sdk/provider';

export type Turn = {
  question: string;
  /** Results since the question. Not empty: the tool round is over, it is time to speak. */
  results: { name: string; text: string; failed: boolean }[];
};

/** The prompt from the last user message on. */
export function readTurn(prompt: LanguageModelV3Prompt): Turn {
  const from = prompt.findLastIndex((message) => message.role === 'user');
  const turn: Turn = { question: '', results: [] };
  for (const message of prompt.slice(Math.max(from, 0))) {
    if (message.role === 'user') {
      turn.question = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    }
    if (message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type !== 'tool-result') continue;
      const { output } = part;
      const said = 'value' in output ? output.value : (output.type === 'execution-denied' && output.reason) || 'denied';
      turn.results.push({
        name: part.toolName,
        text: typeof said === 'string' ? said : JSON.stringify(said),
        failed: output.type.startsWith('error') || output.type === 'execution-denied',
      });
    }
  }
  return turn;
}

/** About four characters a token, as a stand-in for a provider's count. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4);

export function promptTokens(prompt: LanguageModelV3Prompt): number {
  let tokens = 0;
  for (const { content } of prompt) {
    if (typeof content === 'string') tokens += countTokens(content);
    else for (const part of content) tokens += part.type === 'text' ? countTokens(part.text) : 8;
  }
  return tokens;
}
