/** The operator routes over a real socket (CONTRACT 9.1). */

import { describe, expect, it } from 'vitest';
import type { Approval } from '../../actors/engine.js';
import type { RunRecord } from '../../actors/records.js';
import { MemoryStore } from '../../store/memory.js';
import { asker, echo, openService, user } from '../../../test/support/service.js';
import { parseTokens } from '../tokens.js';

type List<T> = { items: T[]; total: number; has_more: boolean };

describe('GET /v1/approvals', () => {
  it('shows every call that waits, the longest waiting first, also after a restart', async () => {
    const first = await openService({ agents: [asker(), echo()] });
    expect((await first.call('GET', '/v1/approvals')).body).toEqual({ items: [], total: 0, has_more: false });
    const runs: RunRecord[] = [];
    for (const threadId of ['t1', 't2', 't3'])
      runs.push(await first.run({ agentId: 'asker', threadId, messages: [user('pay')] }));
    await first.run({ agentId: 'echo', threadId: 't4', messages: [user('hi')] });
    const { body } = await first.call<List<Approval>>('GET', '/v1/approvals');
    expect(body).toMatchObject({ total: 3, has_more: false });
    expect(body.items.map(({ thread_id }) => thread_id)).toEqual(['t1', 't2', 't3']);
    expect(body.items[0]).toEqual({
      thread_id: 't1',
      run_id: runs[0]!.run_id,
      agent_id: 'asker',
      tool_call_id: 'call-1',
      name: 'pay',
      arguments: { eur: 5 },
      suspension: { id: 'fc_call-1', kind: 'approval', message: expect.stringContaining('pay') },
      since: runs[0]!.updated_at,
    });
    expect((await first.call<List<Approval>>('GET', '/v1/approvals?offset=1&limit=1')).body).toMatchObject({
      items: [{ thread_id: 't2' }],
      total: 3,
      has_more: true,
    });

    await first.engine.close(0);
    const second = await openService({ agents: [asker()], store: new MemoryStore(first.store.disk) });
    expect((await second.call('GET', '/v1/approvals')).body).toEqual(body);

    const decide = (run: number, action: string) =>
      second.call('POST', `/v1/runs/${runs[run]!.run_id}/inputs`, {
        decisions: [{ target_id: 'call-1', decision_id: `d${run}`, action, result: { approved: true } }],
      });
    expect((await decide(1, 'resume')).status).toBe(202);
    await second.call('POST', `/v1/runs/${runs[2]!.run_id}/cancel`);
    const left = (await second.call<List<Approval>>('GET', '/v1/approvals')).body;
    expect(left).toMatchObject({ items: [{ thread_id: 't1' }], total: 1 });
    expect((await second.call('DELETE', '/v1/threads/t1')).status).toBe(204);
    expect((await second.call('GET', '/v1/approvals')).body).toEqual({ items: [], total: 0, has_more: false });
  });
});

describe('GET /v1/agents', () => {
  it('shows the agents with their tools, by id', async () => {
    const service = await openService({ agents: [echo('zoe'), asker('adam')] });
    const { body } = await service.call<List<object>>('GET', '/v1/agents');
    expect(body).toMatchObject({ total: 2, has_more: false });
    expect(body.items[0]).toEqual({
      id: 'adam',
      name: 'adam',
      description: '',
      model: expect.any(String),
      tools: [{ name: 'pay', description: 'pays', parameters: { type: 'object' }, effect: 'once', frontend: false }],
      delegates: [],
      tool_execution_mode: 'parallel_streaming',
      max_rounds: expect.any(Number),
    });
    expect((await service.call<List<{ id: string }>>('GET', '/v1/agents?offset=1')).body.items[0]!.id).toBe('zoe');
  });
});

it.each(['/v1/agents', '/v1/approvals'])('%s needs the scope operator', async (path) => {
  const tokens = parseTokens('everything\nreader read\nop operator,read');
  const service = await openService({ http: { tokens } });
  const status = async (token: string) =>
    (await service.call('GET', path, undefined, { authorization: `Bearer ${token}` })).status;
  expect([await status('everything'), await status('op'), await status('reader'), await status('none')]).toEqual([
    200, 200, 403, 401,
  ]);
});
