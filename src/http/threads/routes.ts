/** The thread surface: `/v1/threads` (spec, Threads; CONTRACT 2 to 4). */

import { anyObject } from '../answers.js';
import { AuditAction } from '../../actors/audit/action.js';
import { does } from '../audit/reading.js';
import type { Services } from '../services.js';
import { messagesQuery } from '../messages-query.js';
import { empty, json, route, type Route } from '../openapi/route.js';
import { Scope } from '../scopes.js';
import { jsonObject } from '../validation.js';
import { deleteThread, forkSchema, forkThread, interruptThread, patchMetadata } from './commands.js';
import { getThread } from './get.js';
import { listSummaries, listThreads, threadsQuery } from './list.js';
import { cancelEntry, entryPatchSchema, listMailbox, mailboxQuery, patchEntry, retryEntry } from './mailbox.js';
import { getMessages } from './messages.js';
import {
  entryPage,
  entryRecord,
  interruptResult,
  messagePage,
  summaryPage,
  threadDetail,
  threadPage,
  threadRecord,
} from './schemas.js';

export function threadRoutes(services: Services): Route[] {
  const common = { tag: 'threads' } as const;
  const reads = { ...common, method: 'get', scopes: [Scope.read] } as const;
  const changes = { ...common, scopes: [Scope.runs], refusals: [404] } as const;
  const mailbox = { ...common, scopes: [Scope.operator] } as const;
  return [
    route({
      ...reads,
      path: '/v1/threads',
      id: 'listThreads',
      summary: 'Threads that match all filters',
      query: threadsQuery,
      answers: { 200: json(threadPage, 'a page of threads') },
      handle: listThreads(services),
    }),
    route({
      ...reads,
      path: '/v1/threads/summaries',
      id: 'listThreadSummaries',
      summary: 'What a list of conversations shows, the last changed first',
      query: threadsQuery,
      answers: { 200: json(summaryPage, 'a page of summaries') },
      handle: listSummaries(services),
    }),
    route({
      ...reads,
      path: '/v1/threads/{thread_id}',
      id: 'getThread',
      summary: 'A thread with its newest 200 public messages and its state',
      answers: { 200: json(threadDetail, 'the thread') },
      refusals: [404],
      handle: getThread(services),
    }),
    route({
      ...common,
      method: 'delete',
      path: '/v1/threads/{thread_id}',
      id: 'deleteThread',
      audit: does(AuditAction.delete),
      summary: 'Ends a thread and removes everything of it',
      scopes: [Scope.runs],
      answers: { 204: empty('gone, also when it was not there') },
      handle: deleteThread(services),
    }),
    route({
      ...reads,
      path: '/v1/threads/{thread_id}/messages',
      id: 'getThreadMessages',
      summary: 'Messages of a thread, by cursor',
      query: messagesQuery,
      answers: { 200: json(messagePage, 'a page of messages') },
      refusals: [404],
      handle: getMessages(services),
    }),
    route({
      ...changes,
      method: 'post',
      path: '/v1/threads/{thread_id}/interrupt',
      id: 'interruptThread',
      audit: does(AuditAction.interrupt),
      summary: 'Stops the active run and supersedes what is queued',
      scopes: [Scope.runs, Scope.operator],
      answers: { 202: json(interruptResult, 'the active run will end') },
      handle: interruptThread(services),
    }),
    route({
      ...changes,
      method: 'post',
      path: '/v1/threads/{thread_id}/fork',
      id: 'forkThread',
      audit: does(AuditAction.fork),
      summary: 'A new thread that begins as a copy of this one',
      body: forkSchema,
      answers: { 201: { ...json(threadRecord, 'the new thread'), headers: { location: 'its path' } } },
      refusals: [404, 409],
      handle: forkThread(services),
    }),
    route({
      ...changes,
      method: 'patch',
      path: '/v1/threads/{thread_id}/metadata',
      id: 'patchThreadMetadata',
      audit: does(AuditAction.metadata),
      summary: 'Changes the metadata of a thread by a JSON merge patch',
      body: jsonObject,
      body_limit: '64kb',
      answers: { 200: json(anyObject, 'the whole metadata') },
      handle: patchMetadata(services),
    }),
    route({
      ...reads,
      path: '/v1/threads/{thread_id}/mailbox',
      id: 'listMailbox',
      summary: 'Mailbox entries of a thread',
      query: mailboxQuery,
      answers: { 200: json(entryPage, 'a page of entries') },
      refusals: [404],
      handle: listMailbox(services),
    }),
    route({
      ...mailbox,
      method: 'delete',
      path: '/v1/threads/{thread_id}/mailbox/{entry_id}',
      id: 'cancelMailboxEntry',
      audit: does(AuditAction.mailboxCancel),
      summary: 'Cancels a queued entry and its run',
      answers: { 204: empty('cancelled') },
      refusals: [404, 409],
      handle: cancelEntry(services),
    }),
    route({
      ...mailbox,
      method: 'patch',
      path: '/v1/threads/{thread_id}/mailbox/{entry_id}',
      id: 'patchMailboxEntry',
      audit: does(AuditAction.mailboxEdit),
      summary: 'Changes a queued entry',
      body: entryPatchSchema,
      answers: { 200: json(entryRecord, 'the entry as it is now') },
      refusals: [404, 409],
      handle: patchEntry(services),
    }),
    route({
      ...mailbox,
      method: 'post',
      path: '/v1/threads/{thread_id}/mailbox/{entry_id}/retry',
      id: 'retryMailboxEntry',
      audit: does(AuditAction.mailboxRetry),
      summary: 'Tries again what a dead letter asked for',
      answers: { 202: json(entryRecord, 'the new entry') },
      refusals: [404, 409],
      handle: retryEntry(services),
    }),
  ];
}
