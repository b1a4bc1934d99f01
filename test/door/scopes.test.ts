/**
 * The scope matrix: which scope opens which route. Written out, so that opening a route to more callers is a change of
 * this file, and asked of every route of the document with every scope.
 */

import { expect, it } from 'vitest';
import { parseTokens } from '../../src/http/tokens.js';
import { asker, openService, type Service } from '../support/service.js';
import { ask, operationsOf, pathOf } from './operations.js';

const matrix: Readonly<Record<string, readonly string[] | 'everybody'>> = {
  getHealth: 'everybody',
  getDocument: ['read'],
  getMetrics: ['read'],

  startRun: ['runs'],
  listRuns: ['read'],
  getRun: ['read'],
  getRunEvents: ['read'],
  postRunInputs: ['runs', 'operator'],
  cancelRun: ['runs', 'operator'],

  listThreads: ['read'],
  listThreadSummaries: ['read'],
  getThread: ['read'],
  deleteThread: ['runs'],
  getThreadMessages: ['read'],
  interruptThread: ['runs', 'operator'],
  forkThread: ['runs'],
  patchThreadMetadata: ['runs'],
  listMailbox: ['read'],
  cancelMailboxEntry: ['operator'],
  patchMailboxEntry: ['operator'],
  retryMailboxEntry: ['operator'],

  startAgUiRun: ['runs'],
  joinAgUiThread: ['read'],
  getAgUiMessages: ['read'],

  startChatRun: ['runs'],
  resumeChat: ['read'],
  resumeChatOlderPath: ['read'],
  getUiMessages: ['read'],

  getWellKnownAgentCard: 'everybody',
  listA2aAgents: ['read'],
  getAgentCard: ['read'],
  sendA2aMessage: ['runs'],
  getA2aTask: ['read'],
  cancelA2aTask: ['runs', 'operator'],
  postA2aRpc: ['runs'],
  sendA2aRest: ['runs'],
  streamA2aRest: ['runs'],
  subscribeA2aRest: ['read'],
  followA2aRest: ['read'],
  cancelA2aRest: ['runs', 'operator'],
  listA2aRest: ['read'],
  getA2aRest: ['read'],
  getExtendedAgentCard: ['read'],
  setA2aPush: ['runs'],
  listA2aPush: ['read'],
  getA2aPush: ['read'],
  deleteA2aPush: ['runs'],

  listAgents: ['operator'],
  listApprovals: ['operator'],
  listActors: ['operator'],
  getActor: ['operator'],
  watchActors: ['operator'],
  getStats: ['operator'],
  backup: ['admin'],
  listAudit: ['operator'],
  listMailboxes: ['operator'],
  listPushDeadLetters: ['operator'],
  retryPushDeadLetter: ['operator'],
  listMachines: ['operator'],
  getMachine: ['operator'],
};

const scopes = ['runs', 'read', 'operator', 'admin', 'none-of-ours'] as const;
const tokens = parseTokens([...scopes.map((scope) => `token-${scope} ${scope}`), 'token-all'].join('\n'));

it('is that of the document', async () => {
  const { url } = await openService({ http: { tokens } });
  const documented = await operationsOf(url, 'token-admin');
  expect(Object.fromEntries(documented.map(({ id, scopes }) => [id, scopes ?? 'everybody']))).toEqual(matrix);
});

it('holds for every route and every scope', async () => {
  const service = await openService({ http: { tokens } });
  for (const { id, method, path, body } of await operationsOf(service.url, 'token-admin')) {
    const allowed = matrix[id] ?? expect.fail(`${id} is not in the matrix`);
    const request = { method, path: pathOf({ path }, {}) };
    for (const scope of [...scopes, 'all'] as const) {
      const { status, text } = await ask(service, request, {
        token: `token-${scope}`,
        streams: 'leave',
        ...(body ? { body: {} } : {}),
      });
      const name = `${method} ${path} with ${scope}: ${status} ${text}`;
      expect(status, name).not.toBe(401);
      if (allowed === 'everybody' || scope === 'admin' || scope === 'all' || allowed.includes(scope))
        expect(status, name).not.toBe(403);
      else {
        expect(status, name).toBe(403);
        expect(JSON.parse(text)).toEqual({ error: `forbidden: needs scope ${allowed.join(' or ')}` });
      }
    }
    const { status } = await ask(service, request, body ? { body: {} } : {});
    expect(status === 401, `${method} ${path} without a token: ${status}`).toBe(allowed !== 'everybody');
  }
});

it('an operator decides, and starts nothing', async () => {
  const service = await openService({ agents: [asker()], http: { tokens } });
  const { run_id, tool_call_id } = await pendingCall(service);
  const inputs = (body: object) =>
    ask(service, { method: 'post', path: `/v1/runs/${run_id}/inputs` }, { token: 'token-operator', body });
  expect(await inputs({ agentId: 'asker', messages: [{ role: 'user', content: 'hi' }] })).toMatchObject({
    status: 403,
    text: '{"error":"forbidden: needs scope runs"}',
  });
  const decisions = [{ target_id: tool_call_id, decision_id: 'd', action: 'resume', result: { approved: true } }];
  expect(await inputs({ decisions })).toMatchObject({ status: 202 });
});

async function pendingCall(service: Service): Promise<{ run_id: string; tool_call_id: string }> {
  const request = { method: 'post', path: '/v1/runs' };
  await ask(service, request, {
    token: 'token-runs',
    body: { agentId: 'asker', messages: [{ role: 'user', content: 'pay' }] },
  });
  const { text } = await ask(service, { method: 'get', path: '/v1/approvals' }, { token: 'token-operator' });
  return (JSON.parse(text) as { items: { run_id: string; tool_call_id: string }[] }).items[0]!;
}
