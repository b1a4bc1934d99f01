/** The SDK's transport, pointed at this server; it also says which run is being answered before its first word. */

import { DefaultChatTransport } from 'ai';
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
}
