/** The server's routes beside the chat transport. */

import type { ChatMessage } from './types';

const PAGE = 200;

/** Undefined when there is no such thing. */
async function get<T>(path: string): Promise<T | undefined> {
  const response = await fetch(path);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`The server answered ${response.status}. ${await response.text()}`);
  return (await response.json()) as T;
}

/**
 * The newest messages of a thread, oldest first; none of a thread that has yet to begin. The one being streamed is not
 * among them: resuming brings it.
 */
export async function readHistory(threadId: string): Promise<ChatMessage[]> {
  const path = `/v1/ai-sdk/threads/${encodeURIComponent(threadId)}/messages`;
  const page = await get<{ messages: ChatMessage[] }>(`${path}?order=desc&limit=${PAGE}`);
  return page?.messages.reverse() ?? [];
}

/** A stream that is closed does not end its run (it is durable): this does. False when there is nothing to end. */
export async function cancelRun(runId: string): Promise<boolean> {
  const response = await fetch(`/v1/runs/${encodeURIComponent(runId)}/cancel`, {
    method: 'POST',
    signal: AbortSignal.timeout(5_000),
  });
  return response.ok;
}

export type Summary = { id: string; title: string | null; last_message: { content: string } | null };

/** Newest first; null when this server has no such list. */
export async function readSummaries(): Promise<Summary[] | null> {
  try {
    return (await get<{ items: Summary[] }>('/v1/threads/summaries?limit=50'))?.items ?? null;
  } catch {
    return null;
  }
}
