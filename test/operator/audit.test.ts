/** Who did what to the server: a record of each action, also of one that was refused (CONTRACT 9). */

import { describe, expect, it } from 'vitest';
import { parseTokens } from '../../src/http/tokens.js';
import { MemoryStore } from '../../src/store/memory.js';
import { asker, echo, openService, user, type Service } from '../support/service.js';

type Record_ = { n: number; action: string; target: object; status: number; reason: string | null; principal: string };
type Page = { items: Record_[]; total: number; has_more: boolean };

const audit = async (service: Service, query = '') => (await service.call<Page>('GET', `/v1/audit${query}`)).body;
const decisions = (decision_id: string) => ({
  decisions: [{ target_id: 'call-1', decision_id, action: 'resume', result: { approved: true } }],
});

/** What each action leaves behind, in the order in which it is done below. */
const actions: {
  name: string;
  act(service: Service, run_id: string): Promise<{ status: number }>;
  leaves(run_id: string): object;
}[] = [
  {
    name: 'a decision',
    act: ({ call }, run_id) => call('POST', `/v1/runs/${run_id}/inputs`, decisions('d1')),
    leaves: (run_id) => ({ action: 'decide', status: 202, target: { run_id, tool_call_ids: ['call-1'] } }),
  },
  {
    name: 'a decision for nobody',
    act: ({ call }) => call('POST', '/v1/runs/nobody/inputs', decisions('d2')),
    leaves: () => ({ action: 'decide', status: 404, target: { run_id: 'nobody', tool_call_ids: ['call-1'] } }),
  },
  {
    name: 'a cancel that comes too late',
    act: ({ call }, run_id) => call('POST', `/v1/runs/${run_id}/cancel`),
    leaves: (run_id) => ({ action: 'cancel', status: 400, target: { run_id } }),
  },
  {
    name: 'an interrupt',
    act: ({ call }) => call('POST', '/v1/threads/t/interrupt'),
    leaves: () => ({ action: 'interrupt', status: 202, target: { thread_id: 't' } }),
  },
  {
    name: 'metadata',
    act: ({ call }) => call('PATCH', '/v1/threads/t/metadata', { title: 'x' }),
    leaves: () => ({ action: 'metadata', status: 200, target: { thread_id: 't' } }),
  },
  {
    name: 'metadata that is no JSON',
    act: ({ call }) => call('PATCH', '/v1/threads/t/metadata', [1]),
    leaves: () => ({ action: 'metadata', status: 400, target: { thread_id: 't' } }),
  },
  {
    name: 'a fork',
    act: ({ call }) => call('POST', '/v1/threads/t/fork', { thread_id: 'copy' }),
    leaves: () => ({ action: 'fork', status: 201, target: { thread_id: 't' } }),
  },
  {
    name: 'an entry that is not there',
    act: ({ call }) => call('DELETE', '/v1/threads/t/mailbox/e1'),
    leaves: () => ({ action: 'mailbox_cancel', status: 404, target: { thread_id: 't', entry_id: 'e1' } }),
  },
  {
    name: 'a priority',
    act: ({ call }) => call('PATCH', '/v1/threads/t/mailbox/e1', { priority: 3 }),
    leaves: () => ({ action: 'mailbox_edit', status: 404, target: { thread_id: 't', entry_id: 'e1' } }),
  },
  {
    name: 'a retry',
    act: ({ call }) => call('POST', '/v1/threads/t/mailbox/e%2F1/retry'),
    leaves: () => ({ action: 'mailbox_retry', status: 404, target: { thread_id: 't', entry_id: 'e/1' } }),
  },
  {
    name: 'a backup',
    act: ({ call }) => call('POST', '/v1/backup', { dir: 'x' }),
    leaves: () => ({ action: 'backup', status: 403, target: {} }),
  },
  {
    name: 'a delete',
    act: ({ call }) => call('DELETE', '/v1/threads/t'),
    leaves: () => ({ action: 'delete', status: 204, target: { thread_id: 't' } }),
  },
];

describe('GET /v1/audit', () => {
  it('has a record of every action, the newest first, also after a restart', async () => {
    const service = await openService({ agents: [asker()] });
    const { run_id } = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    expect(await audit(service)).toEqual({ items: [], total: 0, has_more: false });
    for (const { name, act, leaves } of actions) {
      const { status } = await act(service, run_id);
      const [newest] = (await audit(service, '?limit=1')).items;
      expect(newest, name).toMatchObject({ status, ...leaves(run_id), principal: 'anonymous', reason: null });
    }
    const { items, total } = await audit(service);
    expect(total).toBe(actions.length);
    expect(items.map(({ action }) => action)).toEqual(
      actions.map(({ leaves }) => (leaves('') as { action: string }).action).reverse(),
    );
    expect((await audit(service, '?action=decide')).total).toBe(2);
    expect(await audit(service, '?action=metadata&offset=1&limit=1')).toMatchObject({
      items: [{ status: 200 }],
      total: 2,
      has_more: false,
    });
    expect((await audit(service, '?principal=somebody')).total).toBe(0);

    await service.engine.close(0);
    const next = await openService({ agents: [asker()], store: new MemoryStore(service.store.disk) });
    await next.call('POST', '/v1/threads/nobody/interrupt');
    const after = await audit(next);
    expect(after.items.slice(1)).toEqual(items);
    expect(after.items[0]!.n).toBeGreaterThan(items[0]!.n);
  });

  it('leaves out what is no action of an operator', async () => {
    const service = await openService({ agents: [echo()] });
    const { run_id } = await service.run({ agentId: 'echo', threadId: 't', messages: [user('hi')] });
    await service.call('POST', `/v1/runs/${run_id}/inputs`, { agentId: 'echo', messages: [user('more')] });
    await service.call('GET', '/v1/threads/t');
    expect((await audit(service)).total).toBe(0);
  });

  it('says who and why, also of whom it was forbidden to', async () => {
    const service = await openService({
      agents: [echo()],
      http: { tokens: parseTokens('boss\nclerk read,operator ') },
    });
    const as = (token: string, reason?: string) => ({
      authorization: `Bearer ${token}`,
      ...(reason === undefined ? {} : { 'x-operator-reason': reason }),
    });
    const list = async () => (await service.call<Page>('GET', '/v1/audit', undefined, as('boss'))).body.items;
    await service.call('POST', '/v1/threads/t/interrupt', undefined, as('boss', encodeURIComponent('läuft Amok ☠')));
    await service.call('DELETE', '/v1/threads/t', undefined, as('clerk', 'spite'));
    await service.call('POST', '/v1/threads/t/fork', { reason: 'to look at it' }, as('boss'));
    await service.call('POST', '/v1/runs/r/cancel', { reason: 'enough' }, as('boss'));
    const [cancel, fork, remove, interrupt] = await list();
    expect(cancel).toMatchObject({ status: 404, reason: 'enough' });
    expect(interrupt).toMatchObject({ status: 404, reason: 'läuft Amok ☠' });
    expect(remove).toMatchObject({ action: 'delete', status: 403, reason: 'spite' });
    expect(fork).toMatchObject({ action: 'fork', reason: 'to look at it', principal: interrupt!.principal });
    expect(remove!.principal).not.toBe(interrupt!.principal);
  });

  it.each(['%E0%A4%A', encodeURIComponent('x'.repeat(501))])(
    'a reason of %j is refused before anything is done',
    async (reason) => {
      const service = await openService({ agents: [asker()] });
      const { run_id } = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
      const refused = await service.call('POST', `/v1/runs/${run_id}/cancel`, undefined, {
        'x-operator-reason': reason,
      });
      expect(refused).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('x-operator-reason') as string },
      });
      expect((await service.call(`GET`, `/v1/runs/${run_id}`)).body).toMatchObject({ status: 'waiting' });
    },
  );

  it('a start that brings decisions is one', async () => {
    const service = await openService({ agents: [asker()] });
    const { run_id } = await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    await service.run({ agentId: 'asker', threadId: 't', messages: [], ...decisions('d1') });
    expect((await audit(service)).items).toMatchObject([
      { action: 'decide', status: 200, target: { run_id, tool_call_ids: ['call-1'] } },
    ]);
  });

  it('has the status of the answer, also where a request asks for another than usual', async () => {
    const service = await openService({ agents: [asker()] });
    await service.run({ agentId: 'asker', threadId: 't', messages: [user('pay')] });
    await service.start({ agentId: 'asker', threadId: 't', messages: [], ...decisions('d1') });
    expect((await audit(service)).items).toMatchObject([{ action: 'decide', status: 202 }]);
  });
});
