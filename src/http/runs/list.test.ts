/** `GET /v1/runs` over a real socket, on a real engine (spec; CONTRACT 0.3, 0.5, 1.12). */

import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../actors/records.js';
import { MemoryStore } from '../../store/memory.js';
import { asker, echo, holder, openService, user, type Service } from '../../../test/support/service.js';

type List = { items: RunRecord[]; total: number; has_more: boolean };

const list = async (service: Service, query = ''): Promise<List> =>
  (await service.call<List>('GET', `/v1/runs${query}`)).body;
const ids = ({ items }: List): string[] => items.map(({ run_id }) => run_id);

/** One run of each kind. */
async function filled(): Promise<Service & { release: () => void; end: RunRecord }> {
  const { agent, release } = holder();
  const service = await openService({ agents: [echo(), asker(), agent] });
  const messages = [user('hi')];
  const end = await service.run({ agentId: 'echo', runId: 'a', threadId: 't1', resourceId: 'r1', messages });
  await service.run({ agentId: 'asker', runId: 'b', threadId: 't2', parentRunId: 'a', messages });
  await service.start({ agentId: 'holder', runId: 'c', threadId: 't3', resourceId: 'r1', messages });
  await service.start({ agentId: 'echo', runId: 'd', threadId: 't3', messages, onBusy: 'enqueue' });
  await service.run({ agentId: 'echo', runId: 'e', threadId: 't1', messages });
  return { ...service, release, end };
}

describe('GET /v1/runs', () => {
  it('lists records as they are got one by one, oldest first', async () => {
    const service = await filled();
    const page = await list(service);
    expect(page).toMatchObject({ total: 5, has_more: false });
    expect(ids(page)).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const run of page.items) expect((await service.call('GET', `/v1/runs/${run.run_id}`)).body).toEqual(run);
  });

  it.each([
    ['thread_id=t1', ['a', 'e']],
    ['thread_id=nowhere', []],
    ['parent_run_id=a', ['b']],
    ['parent_run_id=nobody', []],
    ['status=running', ['c']],
    ['status=waiting', ['b', 'd']],
    ['status=done', ['a', 'e']],
    ['origin=user', ['a', 'b', 'c', 'd', 'e']],
    ['origin=a2a', []],
    ['termination_code=natural', ['a', 'e']],
    ['termination_code=queued', ['d']],
    ['termination_code=input_required', ['b']],
    ['termination_code=superseded', []],
    ['agent_id=echo', ['a', 'd', 'e']],
    ['agent_id=nobody', []],
    ['resource_id=r1', ['a', 'c', 'd', 'e']],
    ['resource_id=', ['a', 'b', 'c', 'd', 'e']],
    ['agent_id=echo&status=waiting&thread_id=t3&resource_id=r1', ['d']],
    ['agent_id=echo&status=running', []],
    ['created_at_from=0&updated_at_to=9999999999999', ['a', 'b', 'c', 'd', 'e']],
    ['created_at_from=9999999999999', []],
    ['created_at_from=5&created_at_to=4', []],
    ['order=desc&agent_id=echo', ['e', 'd', 'a']],
    ['unknown=field', ['a', 'b', 'c', 'd', 'e']],
  ])('?%s', async (query, expected) => {
    const page = await list(await filled(), `?${query}`);
    expect([ids(page), page.total]).toEqual([expected, expected.length]);
  });

  it('takes time bounds as inclusive', async () => {
    const service = await filled();
    const all = (await list(service)).items;
    for (const [column, low, high] of [
      ['created_at', 'created_at_from', 'created_at_to'],
      ['updated_at', 'updated_at_from', 'updated_at_to'],
    ] as const)
      for (const { [column]: at } of all) {
        const expected = all.filter((run) => run[column] >= at).map(({ run_id }) => run_id);
        expect(ids(await list(service, `?${low}=${at}`))).toEqual(expected);
        const upTo = all.filter((run) => run[column] <= at).map(({ run_id }) => run_id);
        expect(ids(await list(service, `?${high}=${at}`))).toEqual(upTo);
        const both = all.filter((run) => run[column] === at).map(({ run_id }) => run_id);
        expect(ids(await list(service, `?${low}=${at}&${high}=${at}`))).toEqual(both);
      }
  });

  it('pages with the exact total', async () => {
    const service = await filled();
    expect(await list(service, '?limit=2')).toMatchObject({ items: [{ run_id: 'a' }, {}], total: 5, has_more: true });
    expect(await list(service, '?limit=2&offset=3')).toMatchObject({ total: 5, has_more: false });
    expect(ids(await list(service, '?limit=2&offset=3'))).toEqual(['d', 'e']);
    expect(await list(service, '?offset=5')).toEqual({ items: [], total: 5, has_more: false });
    expect(await list(service, '?status=done&offset=1&limit=1')).toMatchObject({ items: [{ run_id: 'e' }], total: 2 });
    expect((await list(service, '?limit=0')).items).toHaveLength(1);
    expect((await list(service, '?limit=-7')).items).toHaveLength(1);
    expect((await list(service, '?limit=100000')).items).toHaveLength(5);
  });

  it('shows 50 unless told otherwise, and never more than 200', async () => {
    const service = await openService({ agents: [echo()] });
    for (let i = 0; i < 205; i++)
      await service.start({ agentId: 'echo', runId: `r${i}`, threadId: `t${i}`, messages: [user('x')] });
    expect(await list(service)).toMatchObject({ total: 205, has_more: true });
    expect((await list(service)).items).toHaveLength(50);
    expect((await list(service, '?limit=201')).items).toHaveLength(200);
  });

  it.each([
    ['status=queued', /status: expected one of running, waiting, done/],
    ['origin=web', /origin: expected one of user, subagent, ag_ui, ai_sdk, a2a, internal/],
    ['termination_code=fine', /termination_code: expected one of queued, input_required, natural, /],
    ['order=random', /order: expected one of asc, desc/],
    ['offset=-1', /offset/],
    ['offset=1.5', /offset/],
    ['limit=abc', /limit/],
    ['created_at_from=now', /created_at_from/],
    ['created_at_to=1e5', /created_at_to/],
    ['updated_at_from=', /updated_at_from/],
    ['updated_at_to=0x10', /updated_at_to/],
    ['agent_id=a&agent_id=b', /agent_id/],
    ['status=done&status=done', /status/],
  ])('refuses ?%s', async (query, message) => {
    const service = await openService();
    const { status, body } = await service.call('GET', `/v1/runs?${query}`);
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)]);
  });

  it('knows after a restart what it knew before', async () => {
    const service = await filled();
    const before = await list(service);
    await service.engine.close(0);
    const next = await openService({
      agents: [echo(), asker(), holder().agent],
      store: new MemoryStore(service.store.disk),
    });
    const after = await list(next);
    expect(ids(after)).toEqual(ids(before));
    expect(await list(next, '?agent_id=asker&status=waiting')).toMatchObject({ total: 1 });
    await next.run({ agentId: 'echo', runId: 'f', threadId: 't9', messages: [user('x')] });
    expect(ids(await list(next, '?status=done'))).toEqual(['a', 'e', 'f']);
  });

  it('shows what a run has become as soon as its watcher knows', async () => {
    const service = await filled();
    service.release();
    const events = await fetch(`${service.url}/v1/runs/d/events`, { headers: { accept: 'text/event-stream' } });
    await events.text();
    expect(ids(await list(service, '?thread_id=t3&status=done'))).toEqual(['c', 'd']);
  });
});
