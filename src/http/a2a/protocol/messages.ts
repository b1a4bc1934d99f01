/** Messages of the protocol: what this server says in them, and what it reads out of them. Pure. */

import { Role, type Message, type Part } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError } from '@a2a-js/sdk/errors';
import type { JsonValue } from '../../../json.js';

export const textPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});

export const dataPart = (value: JsonValue): Part => ({
  content: { $case: 'data', value },
  metadata: undefined,
  filename: '',
  mediaType: 'application/json',
});

export type TaskRef = { run_id: string; thread_id: string };

/** A word of the agent, or of the client, about a task. */
export const messageOf = (role: Role, messageId: string, { run_id, thread_id }: TaskRef, parts: Part[]): Message => ({
  messageId,
  contextId: thread_id,
  taskId: run_id,
  role,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

export const agentSays = (messageId: string, task: TaskRef, parts: Part[]): Message =>
  messageOf(Role.ROLE_AGENT, messageId, task, parts);

const TEXT_FILE = /^(text\/[^;,]+|application\/([^;,]+\+)?(json|xml|yaml|javascript|x-ndjson))(;.*)?$/i;

/**
 * What a message says, as the text that is stored: a message of a thread is text, and that is what every model can read.
 * Links are named, data is its JSON, text files are taken in whole; other files are refused, because nobody could look at
 * them later.
 */
export function textOf(parts: readonly Part[]): string {
  return parts.map(readPart).join('\n');
}

function readPart({ content, filename, mediaType }: Part): string {
  switch (content?.$case) {
    case 'text':
      return content.value;
    case 'url':
      return `[${filename || 'file'}${mediaType === '' ? '' : ` (${mediaType})`}: ${content.value}]`;
    case 'data':
      return JSON.stringify(content.value);
    case 'raw':
      if (!TEXT_FILE.test(mediaType || 'text/plain'))
        throw new ContentTypeNotSupportedError(
          `files of type ${mediaType} are not supported; send text files or links`,
        );
      return `[${filename || 'file'}]\n${decode(content.value)}`;
    default:
      throw new RequestMalformedError('message.parts: each must have one of text, raw, url, data');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ContentTypeNotSupportedError('message.parts: the file is not text in UTF-8');
  }
}
