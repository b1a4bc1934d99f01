/** What the assistant message keeps of a remote's answer, in the place where answers keep what their maker wants to see. */

import type { JsonObject } from '../../json.js';
import type { HistoryMessage, ProviderTrace } from '../model-call.js';
import type { RemoteMemory } from './types.js';

const NAMESPACE = 'a2a';

/** `remote`: who answered, as traces name it. */
export const toTrace = (remote: string, text: string, memory: RemoteMemory): ProviderTrace => ({
  model: remote,
  parts: [{ type: 'text', length: text.length, metadata: { [NAMESPACE]: memory as unknown as JsonObject } }],
});

/** What this remote left with the message; undefined on everybody else's. */
export function memoryOf({ trace }: HistoryMessage, remote: string): RemoteMemory | undefined {
  if (trace?.model !== remote) return undefined;
  return trace.parts[0]?.metadata?.[NAMESPACE] as unknown as RemoteMemory | undefined;
}
