/**
 * File parts of a user message as text: a message of a thread is text, and that is what every model can read.
 *
 * Text files are taken in whole, links are named. Anything else is refused, because nobody could look at it later.
 */

import { badRequest } from '../../errors.js';

export type FilePart = { mediaType?: unknown; url?: unknown; filename?: unknown; [key: string]: unknown };

const TEXT = /^(text\/[^;,]+|application\/([^;,]+\+)?(json|xml|yaml|javascript|x-ndjson))$/i;

/** @param path JSON path of the part, for the refusal. Throws `bad_request` for a file that is neither text nor a link. */
export function fileAsText({ mediaType, url, filename }: FilePart, path: string): string {
  if (typeof url !== 'string') throw badRequest(`${path}.url: expected a string`);
  const type = typeof mediaType === 'string' ? mediaType : '';
  const name = typeof filename === 'string' && filename !== '' ? filename : 'file';
  if (/^https?:\/\//i.test(url)) return `[${name}${type === '' ? '' : ` (${type})`}: ${url}]`;
  const data = /^data:([^,;]*)((?:;[^,;]*)*),(.*)$/is.exec(url);
  if (!data) throw badRequest(`${path}.url: expected an http, https or data URL`);
  const [, declared = '', parameters = '', body = ''] = data;
  const kind = type || declared || 'text/plain';
  if (!TEXT.test(kind)) throw badRequest(`${path}: files of type ${kind} are not supported; send text files or links`);
  return `[${name}]\n${decode(body, /;base64$/i.test(parameters), path)}`;
}

function decode(body: string, base64: boolean, path: string): string {
  try {
    const bytes = base64 ? Buffer.from(decodeURIComponent(body), 'base64') : Buffer.from(decodeURIComponent(body));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badRequest(`${path}.url: the file is not text in UTF-8`);
  }
}
