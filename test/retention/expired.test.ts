/** What clients are told of a run whose events are gone: 410 where its events were asked for, and everything else as ever. */

import { expect, it } from 'vitest';
import * as keys from '../../src/store/keys.js';
import { MemoryStore } from '../../src/store/memory.js';
import { FakeClock } from '../support/fake-clock.js';
import { post } from '../support/http-server.js';
import { echo, openService, user, type Service } from '../support/service.js';

const DAY = 24 * 60 * 60 * 1000;
const START = { agentId: 'echo', threadId: 't', runId: 'old', messages: [user('hi', { id: 'm' })] };
const SSE = { accept: 'text/event-stream' };

/** A server on which the run `old` ended longer ago than its events are kept. */
async function withExpiredRun(): Promise<Service> {
  const clock = new FakeClock();
  const options = { agents: [echo()], clock, events_ms: DAY };
  const before = await openService(options);
  await before.run(START);
  await before.engine.close(0);
  clock.advance(DAY + 1);
  const [row] = before.store.disk.rows(keys.familyOf('Z'));
  let gone = (): void => {};
  const expired = new Promise<void>((resolve) => (gone = resolve));
  const store = new MemoryStore(before.store.disk, {
    batch: (_, ops) => (ops.some(({ type, key }) => type === 'del' && key.equals(row![0])) && gone(), 'ok'),
  });
  const service = await openService({ ...options, store });
  await expired;
  return service;
}

it('answers 410 where events are asked for, and tells everything else as ever', async () => {
  const service = await withExpiredRun();
  const expired = { status: 410, body: { error: 'events expired' } };
  for (const query of ['', '?after=1', '?format=ag-ui', '?format=ai-sdk', '?format=ag-ui&after=2'])
    expect(await service.call('GET', `/v1/runs/old/events${query}`, undefined, SSE)).toMatchObject(expired);
  const json = { accept: 'application/json' };
  expect(await service.call('GET', '/v1/runs/old/events', undefined, json)).toMatchObject(expired);

  // The same start again is the same run: its record, but neither its stream nor its outcome.
  expect(await service.call('POST', '/v1/runs', START, SSE)).toMatchObject(expired);
  expect(await service.call('POST', '/v1/runs', START, json)).toMatchObject(expired);
  expect(await service.start(START)).toMatchObject({ run_id: 'old', status: 'done' });
  expect((await service.call('POST', '/v1/runs', { ...START, messages: [] })).status).toBe(409);

  expect(await service.call('GET', '/v1/ag-ui/agents/echo/threads/t/stream', undefined, SSE)).toMatchObject({
    status: 204,
  });
  expect(await service.call('GET', '/v1/ai-sdk/agents/echo/chats/t/stream', undefined, SSE)).toMatchObject({
    status: 204,
  });

  expect((await service.call('GET', '/v1/runs/old')).body).toMatchObject({ status: 'done', output_tokens: 2 });
  expect((await service.call('GET', '/v1/runs')).body).toMatchObject({ total: 1 });
  expect((await service.call('GET', '/v1/threads/t/messages')).body).toMatchObject({
    messages: [{ id: 'm' }, { role: 'assistant', content: 'well said' }],
  });
  expect((await service.call('GET', '/v1/ai-sdk/threads/t/messages')).body).toMatchObject({
    messages: [{ role: 'user' }, { role: 'assistant' }],
  });

  for (const path of ['rest/echo/tasks/old', 'rest/echo/tasks', 'agents/echo/tasks/old'])
    expect(await service.call('GET', `/v1/a2a/${path}`)).toMatchObject({ status: 200 });

  // Of a run whose questions nobody knows any more an answer is none: the thread goes on.
  const late = { threadId: 't', runId: 'late', resume: [{ interruptId: 'x', status: 'resolved' }] };
  const decided = await post(`${service.url}/v1/ag-ui/agents/echo/runs`, late);
  expect([decided.status, await decided.text()]).toEqual([200, expect.stringContaining('RUN_FINISHED')]);

  const next = await service.run({ ...START, runId: 'new', messages: [user('more')] });
  expect((await service.call('GET', '/v1/runs/new/events', undefined, json)).status).toBe(200);
  expect(next).toMatchObject({ status: 'done' });
  expect((await service.call('DELETE', '/v1/threads/t')).status).toBe(204);
  expect((await service.call('GET', '/v1/runs/old/events', undefined, SSE)).status).toBe(404);
});
