/** Parts of A2A messages and artifacts as text, and text as parts. Pure. */

import type { Part } from '@a2a-js/sdk';
import type { JsonValue } from '../../json.js';

/** What is meant for people: the texts, or everything else when there is none. */
export function wordsOf(parts: readonly Part[] | undefined): string {
  const texts = (parts ?? []).filter(({ content }) => content?.$case === 'text' && content.value !== '');
  return textOf(texts.length > 0 ? texts : parts).trim();
}

/** Text as it is, data as JSON, files by their name and address. */
export const textOf = (parts: readonly Part[] | undefined): string => (parts ?? []).map(partText).join('');

function partText({ content, filename, mediaType }: Part): string {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'data':
      return JSON.stringify(content.value ?? null);
    case 'url':
      return `[${filename || content.value}](${content.value})`;
    case 'raw':
      return `[${filename || 'file'}: ${mediaType || 'unknown type'}, ${content.value.length} bytes]`;
    default:
      return '';
  }
}

const part = (content: NonNullable<Part['content']>, mediaType: string): Part => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType,
});

export const textPart = (value: string): Part => part({ $case: 'text', value }, 'text/plain');
export const dataPart = (value: JsonValue): Part => part({ $case: 'data', value }, 'application/json');
