/** What waits in all mailboxes, and what can never start (CONTRACT 4.2, 4.5). */

import { expect, it } from 'vitest';
import { MemoryStore } from '../../src/store/memory.js';
import { asker, echo, openService, user, type Service } from '../support/service.js';
import { eventually } from '../support/eventually.js';

type Entry = { entry_id: string; thread_id: string; status: string; last_error: string | null };
type Page = { items: Entry[]; total: number; has_more: boolean };

const list = async ({ call }: Service, query = ''): Promise<Page> =>
  (await call<Page>('GET', `/v1/mailbox${query}`)).body;

/** A thread whose run waits, with one entry behind it. */
async function blocked(service: Service, threadId: string, agentId = 'echo') {
  const { run_id } = await service.run({ agentId: 'asker', threadId, messages: [user('pay')] });
  await service.start({ agentId, threadId, onBusy: 'enqueue', messages: [user('later')] });
  return run_id;
}

it('lists entries of all threads; a dead letter can be retried, and goes with its thread', async () => {
  const first = await openService({ agents: [asker(), echo(), echo('leaving')] });
  expect(await list(first)).toEqual({ items: [], total: 0, has_more: false });
  const runs = [await blocked(first, 't1', 'leaving'), await blocked(first, 't2', 'leaving')];
  await blocked(first, 't3');
  expect((await list(first)).items.map(({ thread_id, status }) => [thread_id, status])).toEqual([
    ['t1', 'queued'],
    ['t2', 'queued'],
    ['t3', 'queued'],
  ]);
  expect(await list(first, '?offset=1&limit=1')).toMatchObject({
    items: [{ thread_id: 't2' }],
    total: 3,
    has_more: true,
  });
  await first.close();

  // The agent is gone by the next start: what waits for it can never start.
  const store = new MemoryStore(first.store.disk);
  const second = await openService({ agents: [asker(), echo()], store });
  for (const run of runs) await second.call('POST', `/v1/runs/${run}/cancel`);
  await eventually(async () => expect((await list(second, '?status=dead_letter')).total).toBe(2));
  const dead = await list(second, '?status=dead_letter');
  expect(dead.items).toMatchObject([
    { thread_id: 't1', status: 'dead_letter', last_error: 'agent not found: leaving' },
    { thread_id: 't2', status: 'dead_letter' },
  ]);
  expect(await list(second, '?status=queued')).toMatchObject({ items: [{ thread_id: 't3' }], total: 1 });
  expect(await list(second)).toMatchObject({ total: 3 });
  await eventually(async () =>
    expect((await second.call('GET', '/v1/stats')).body).toMatchObject({ dead_letters: 2, queued: 1 }),
  );
  await second.call('DELETE', '/v1/threads/t1');
  expect(await list(second, '?status=dead_letter')).toMatchObject({ items: [{ thread_id: 't2' }], total: 1 });
  await second.close();

  const third = await openService({ agents: [asker(), echo(), echo('leaving')], store: new MemoryStore(store.disk) });
  const [entry] = (await list(third, '?status=dead_letter')).items;
  expect((await third.call('POST', `/v1/threads/t2/mailbox/${entry!.entry_id}/retry`)).status).toBe(202);
});

it.each(['status=accepted', 'status=queued,nothing', 'limit=x'])('%s is refused', async (query) => {
  const service = await openService();
  expect((await service.call('GET', `/v1/mailbox?${query}`)).status).toBe(400);
});
