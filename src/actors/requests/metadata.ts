/** A thread's metadata: what its users keep with it (CONTRACT 2.4). Its `title` is also the thread's. */

import { badRequest } from '../../errors.js';
import type { JsonObject } from '../../json.js';
import type { Draft } from '../thread/draft.js';
import { mergePatch } from '../merge-patch.js';

/** Bytes of a thread's metadata as JSON. */
const MAX_METADATA_BYTES = 64 * 1024;

/** Merges the patch (RFC 7396) and gives the whole metadata. Throws `bad_request` for a title that is no text, or too much. */
export function editMetadata(draft: Draft, patch: JsonObject): JsonObject {
  const metadata = mergePatch(draft.thread().metadata, patch) as JsonObject;
  const { title = null } = metadata;
  if (title !== null && typeof title !== 'string') throw badRequest('title: expected a string or null');
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    throw badRequest(`metadata: larger than ${MAX_METADATA_BYTES} bytes`);
  draft.editThread({ metadata, title });
  return metadata;
}
