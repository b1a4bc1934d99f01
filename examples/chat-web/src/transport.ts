/**
 * The SDK's transport with what it lacks for this server: which run is being answered before its first word, and the
 * names of text parts, which the SDK drops (they tell which parts are void).
 */

import { DefaultChatTransport, type UIMessageChunk } from 'ai';
import type { ChatMessage } from './types';

export class RunTransport extends DefaultChatTransport<ChatMessage> {
  /** The run of the newest response, as soon as its headers are here. */
  runId: string | undefined;

  constructor(agent: string) {
    const base = `/v1/ai-sdk/agents/${encodeURIComponent(agent)}`;
    super({
      api: `${base}/runs`,
      prepareReconnectToStreamRequest: ({ id }) => ({ api: `${base}/chats/${encodeURIComponent(id)}/stream` }),
      fetch: async (...request) => {
        this.runId = undefined;
        const response = await fetch(...request);
        this.runId = response.headers.get('x-run-id') ?? undefined;
        return response;
      },
    });
  }

  protected override processResponseStream(
    stream: Parameters<DefaultChatTransport<ChatMessage>['processResponseStream']>[0],
  ): ReadableStream<UIMessageChunk> {
    return super.processResponseStream(stream).pipeThrough(
      new TransformStream<UIMessageChunk, UIMessageChunk>({
        transform: (chunk, out) => out.enqueue(named(chunk)),
      }),
    );
  }
}

function named(chunk: UIMessageChunk): UIMessageChunk {
  if (chunk.type !== 'text-start' && chunk.type !== 'reasoning-start') return chunk;
  return { ...chunk, providerMetadata: { ...chunk.providerMetadata, agentServer: { partId: chunk.id } } };
}
