/** `GET /metrics` (CONTRACT 9.2): what is counted, under which names, and how many series there can be. */

import { describe, expect, it } from 'vitest';
import { asker, echo, openService, user, type Service } from '../../../test/support/service.js';
import { openHttp } from '../../../test/support/http-server.js';
import { parseTokens } from '../tokens.js';

/** Samples by their name with its labels, as they stand in the text. */
async function scrape({ url }: Pick<Service, 'url'>): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

describe('GET /metrics', () => {
  it('counts runs, events and commits', async () => {
    const service = await openService({ agents: [echo(), asker()] });
    await service.run({ agentId: 'echo', messages: [user('x')] });
    const waiting = await service.run({ agentId: 'asker', threadId: 't', messages: [user('x')] });
    await service.start({ agentId: 'echo', threadId: 't', on_busy: 'enqueue', messages: [user('x')] });
    const { body } = await service.call<{ items: unknown[] }>('GET', `/v1/runs/${waiting.run_id}/events`, undefined, {
      accept: 'application/json',
    });
    const found = await scrape(service);
    expect(found.get('agent_server_runs_started_total')).toBe(2);
    expect(found.get('agent_server_runs_ended_total{code="natural"}')).toBe(1);
    expect(found.get('agent_server_runs{state="waiting"}')).toBe(1);
    expect(found.get('agent_server_runs{state="running"}')).toBe(0);
    expect(found.get('agent_server_runs{state="queued"}')).toBe(1);
    expect(found.get('agent_server_mailbox_entries')).toBe(1);
    expect(found.get('agent_server_events_total')).toBeGreaterThan(body.items.length);
    const commits = found.get('agent_server_commits_total')!;
    expect(commits).toBeGreaterThan(2);
    expect(found.get('agent_server_commit_seconds_count')).toBe(commits);
    expect(found.get('agent_server_commit_seconds_bucket{le="+Inf"}')).toBe(commits);
    expect(found.get('agent_server_commit_seconds_bucket{le="5"}')).toBe(commits);
    expect(found.get('agent_server_commit_batch_size_sum')).toBe(commits);
    expect(found.get('agent_server_commit_batch_size_count')).toBe(found.get('agent_server_commit_batches_total'));
    expect(found.get('agent_server_store_status{status="open"}')).toBe(1);
    expect(found.get('agent_server_store_status{status="degraded"}')).toBe(0);
    expect(found.get('agent_server_store_degraded_seconds_total')).toBe(0);
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
      expect(found.get(name), name).toBeGreaterThanOrEqual(0);
  });

  it('counts requests by route, and what clients make up as one', async () => {
    const service = await openService({ agents: [echo()] });
    for (let i = 0; i < 50; i++) await service.call('GET', `/v1/runs/made-up-${i}`);
    for (let i = 0; i < 50; i++) await service.call('GET', `/made/up/${i}`);
    await service.call('PROPFIND', '/v1/runs');
    const found = await scrape(service);
    expect(found.get('agent_server_http_requests_total{method="GET",route="/v1/runs/{run_id}",status="404"}')).toBe(50);
    expect(found.get('agent_server_http_requests_total{method="other",route="none",status="404"}')).toBe(50);
    expect(found.get('agent_server_http_requests_total{method="other",route="none",status="405"}')).toBe(1);
    expect([...found.keys()].join('\n')).not.toMatch(/made|PROPFIND/);
    expect(found.get('agent_server_http_answer_seconds_count{method="GET",route="/v1/runs/{run_id}"}')).toBe(50);
  });

  it('counts the event streams that are open', async () => {
    const server = await openHttp();
    server.engine.script = () => [];
    const stream = await fetch(`${server.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agentId: 'assistant', messages: [{ role: 'user', content: 'x' }] }),
    });
    expect((await scrape(server)).get('agent_server_sse_readers')).toBe(1);
    await stream.body!.cancel();
    await expect.poll(async () => (await scrape(server)).get('agent_server_sse_readers')).toBe(0);
  });

  it('says what it can while there is no engine', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const { HttpServer } = await import('../server.js');
    const { FakeEngine } = await import('../../../test/support/fake-engine.js');
    const { pino } = await import('pino');
    const server = new HttpServer({
      logger: pino({ enabled: false }),
      openEngine: async () => {
        await opened;
        return new FakeEngine();
      },
    });
    const listening = server.listen();
    await expect.poll(() => server.url).not.toMatch(/:0$/);
    const found = await scrape(server);
    expect(found.get('agent_server_sse_readers')).toBe(0);
    expect([...found.keys()].filter((name) => name.startsWith('agent_server_commit'))).toEqual([]);
    open();
    await listening;
    expect((await scrape(server)).get('agent_server_commits_total')).toBe(0);
    await server.close();
  });

  it('is not for tenants', async () => {
    const { url } = await openHttp({ tokens: parseTokens('a * ann') });
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: 'Bearer a' } });
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: 'forbidden: the token is bound to a resource' },
    ]);
  });

  it('is of one server alone', async () => {
    const [one, other] = [await openHttp(), await openHttp()];
    await fetch(`${one.url}/health`);
    const name = 'agent_server_http_requests_total{method="GET",route="/health",status="200"}';
    expect((await scrape(one)).get(name)).toBe(1);
    expect((await scrape(other)).get(name)).toBeUndefined();
  });
});
