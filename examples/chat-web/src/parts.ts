/** Which parts of a message a person should see. Pure. */

import type { ChatMessage } from './types';

export type Part = ChatMessage['parts'][number];

/** All but the steps that were given up: their text was taken back, and the model asked again. */
export function visibleParts({ parts, metadata }: ChatMessage): Part[] {
  const gone = metadata?.voidParts;
  if (!gone) return parts;
  return steps(parts)
    .filter((step) => !step.some((part) => gone[partIdOf(part) ?? '']))
    .flat();
}

function partIdOf(part: Part): string | undefined {
  if (part.type !== 'text' && part.type !== 'reasoning') return undefined;
  const id = part.providerMetadata?.agentServer?.partId;
  return typeof id === 'string' ? id : undefined;
}

function steps(parts: Part[]): Part[][] {
  const found: Part[][] = [[]];
  for (const part of parts) {
    if (part.type === 'step-start') found.push([]);
    found.at(-1)!.push(part);
  }
  return found;
}

/** The newest report of a tool call. */
export function progressOf({ parts }: ChatMessage, toolCallId: string) {
  const part = parts.findLast(
    (part) => part.type === 'data-activity-snapshot' && part.id === `tool_call:${toolCallId}`,
  );
  return part?.type === 'data-activity-snapshot' ? part.data.content : undefined;
}

/** What the call asks, when that is no approval. */
export function questionOf({ parts }: ChatMessage, toolCallId: string) {
  const part = parts.findLast((part) => part.type === 'data-suspension' && part.data.toolCallId === toolCallId);
  return part?.type === 'data-suspension' ? part.data : undefined;
}
