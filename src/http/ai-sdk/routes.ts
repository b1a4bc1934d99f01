/** The chat SDK surface: `/v1/ai-sdk` (spec, Chat-SDK v6; CONTRACT-PROTOCOLS 7). */

import type { Services } from '../services.js';
import { frameQuery } from '../frame-position.js';
import { messagesQuery } from '../messages-query.js';
import { empty, events, json, route, type Route } from '../openapi/route.js';
import { keyed, resumable, streamHeaders } from '../runs/routes.js';
import { Scope } from '../scopes.js';
import { threadHistory } from './history.js';
import { decides } from './reading.js';
import { chatRequestSchema } from './request.js';
import { resumeStream } from './resume.js';
import { postRun } from './run.js';
import { decisionForwarded, historyPage, uiChunk } from './schemas.js';

export function aiSdkRoutes(services: Services): Route[] {
  const common = { tag: 'ai-sdk' } as const;
  const stream = {
    ...events(uiChunk, 'a UI message stream, which ends with `data: [DONE]`'),
    headers: { ...streamHeaders, 'x-sdk-ai-ui-message-stream': 'v1', 'x-service-ai-sdk-version': 'v6' },
  };
  const resume = {
    ...common,
    method: 'get',
    scopes: [Scope.read],
    headers: resumable,
    query: frameQuery,
    answers: { 200: stream, 204: empty('nothing of this agent is streaming') },
    refusals: [404, 410],
    handle: resumeStream(services),
  } as const;
  return [
    route({
      ...common,
      method: 'post',
      path: '/v1/ai-sdk/agents/{agent_id}/runs',
      id: 'startChatRun',
      summary: 'What useChat posts: starts a run, or goes on with the one that its answers are for',
      scopes: [Scope.runs],
      headers: keyed,
      body: chatRequestSchema,
      answers: { 200: stream, 202: json(decisionForwarded, 'the decisions are the active run’s') },
      refusals: [404, 409, 410],
      audit: decides,
      handle: postRun(services),
    }),
    route({
      ...resume,
      path: '/v1/ai-sdk/agents/{agent_id}/chats/{chat_id}/stream',
      id: 'resumeChat',
      summary: 'The message that is being streamed on a thread, whole, then live',
    }),
    route({
      ...resume,
      path: '/v1/ai-sdk/agents/{agent_id}/runs/{chat_id}/stream',
      id: 'resumeChatOlderPath',
      summary: 'The older path of the same',
      deprecated: true,
    }),
    route({
      ...common,
      method: 'get',
      path: '/v1/ai-sdk/threads/{thread_id}/messages',
      id: 'getUiMessages',
      summary: 'The history of a thread as UI messages',
      scopes: [Scope.read],
      query: messagesQuery,
      answers: { 200: json(historyPage, 'a page of messages') },
      refusals: [404],
      handle: threadHistory(services),
    }),
  ];
}
