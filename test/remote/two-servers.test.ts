/**
 * Two real servers that have agents at each other, and one of them killed in the middle of a run: the run of the other
 * one ends with the right result, once, in both directions.
 */

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer, type ServerProcess } from '../support/server-process.js';
import { readSse } from '../support/sse-client.js';
import { tempDir } from '../support/temp-dir.js';

/** Streams for about two seconds, and repeats the question: always the same text. */
const QUESTION = '[[slow]] why is the sky blue?';

/** What the scripted agent calls when it is told `[[approval]]`. */
const TOOLS = `export const transfer = {
  name: 'transfer_funds',
  description: 'transfers money',
  parameters: { type: 'object' },
  effect: 'once',
  permission: 'ask',
  validate: (value) => ({ ok: true, value }),
  execute: () => ({ transferred: true }),
};`;

type Site = { port: number; data: string; config: string };

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Each has an agent of its own, and one that is the other's. */
async function sites(): Promise<[Site, Site]> {
  const ports = [await freePort(), await freePort()] as const;
  const site = async (own: number): Promise<Site> => {
    const data = await tempDir();
    const config = join(data, 'servers.json');
    const there = `http://127.0.0.1:${ports[1 - own]}/v1/a2a/agents/local/agent-card`;
    const agents = [
      { id: 'local', model: 'scripted:assistant', tools: ['transfer_funds'] },
      { id: 'far', a2a: { url: there } },
    ];
    await writeFile(join(data, 'tools.mjs'), TOOLS);
    await writeFile(config, JSON.stringify({ tools: './tools.mjs', agents }));
    return { port: ports[own]!, data, config };
  };
  return [await site(0), await site(1)];
}

const open = ({ port, data, config }: Site): Promise<ServerProcess> =>
  startServer({ data, args: ['--config', config, '--port', `${port}`] });

/** Tokens are counted here as they are there. */
const tokens = async (url: string, filter: string): Promise<number[]> =>
  (await call<{ items: { output_tokens: number }[] }>('GET', `${url}/v1/runs?${filter}`)).items.map(
    ({ output_tokens }) => output_tokens,
  );

async function call<T>(method: string, url: string, body?: unknown): Promise<T> {
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

type Ended = { status: string; termination_code: string; response: string };

const start = (url: string, agentId: string): Promise<{ run_id: string }> =>
  fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ agentId, messages: [{ role: 'user', content: QUESTION }] }),
  }).then((response) => response.json() as Promise<{ run_id: string }>);

/** Reads the run's events until it has said this many things. */
async function untilSaid(url: string, run_id: string, deltas: number): Promise<void> {
  let said = 0;
  for await (const { data } of readSse(`${url}/v1/runs/${run_id}/events`))
    if ((JSON.parse(data) as { type: string }).type === 'text_delta' && ++said === deltas) return;
  throw new Error('the run ended too soon');
}

/** The run's text as its readers saw it in the end, and how it ended. */
async function ending(url: string, run_id: string): Promise<Ended & { streamed: string }> {
  let streamed = '';
  for await (const { data } of readSse(`${url}/v1/runs/${run_id}/events`)) {
    const event = JSON.parse(data) as { type: string; data: { delta: string; result: { response: string } | null } };
    if (event.type === 'text_delta') streamed += event.data.delta;
    if (event.type === 'inference_retry') streamed = '';
    if (event.type !== 'run_finish') continue;
    const { status, termination_code } = await call<Ended>('GET', `${url}/v1/runs/${run_id}`);
    return { status, termination_code, response: event.data.result?.response ?? '', streamed };
  }
  throw new Error('the run did not end');
}

/** What the local agent answers when nothing happens. */
const plainAnswer = async (url: string): Promise<string> =>
  (await ending(url, (await start(url, 'local')).run_id)).response;

const asked = (url: string): Promise<{ total: number }> => call('GET', `${url}/v1/runs?origin=a2a`);

test.each(['the one that asked', 'the one that was asked'])('%s is killed and comes back', async (which) => {
  const [here, there] = await sites();
  const [first, second] = await Promise.all([open(here), open(there)]);
  const forth = await start(first.url, 'far');
  const back = await start(second.url, 'far');
  await Promise.all([untilSaid(first.url, forth.run_id, 2), untilSaid(second.url, back.run_id, 2)]);
  const victim = which === 'the one that asked' ? ([first, here] as const) : ([second, there] as const);
  await victim[0].kill('SIGKILL');
  await open(victim[1]);

  const answer = await plainAnswer(first.url);
  const expected = { status: 'done', termination_code: 'natural', response: answer, streamed: answer };
  expect(await ending(first.url, forth.run_id)).toEqual(expected);
  expect(await ending(second.url, back.run_id)).toEqual(expected);
  expect(await asked(first.url)).toMatchObject({ total: 1 });
  expect(await asked(second.url)).toMatchObject({ total: 1 });
  expect(await tokens(first.url, 'agent_id=far')).toEqual(await tokens(second.url, 'origin=a2a'));
});

test('cancels, questions and answers go through to the other server', async () => {
  const [here, there] = await sites();
  const [first, second] = await Promise.all([open(here), open(there)]);
  const { run_id } = await start(first.url, 'far');
  await untilSaid(first.url, run_id, 2);
  await call('POST', `${first.url}/v1/runs/${run_id}/cancel`);
  await expect
    .poll(() => call<{ items: Ended[] }>('GET', `${second.url}/v1/runs?origin=a2a`))
    .toMatchObject({ items: [{ status: 'done', termination_code: 'cancelled' }] });

  type Outcome = {
    run_id: string;
    status: string;
    response: string;
    pending: { tool_call_id: string; kind: string }[];
  };
  const waiting = await call<Outcome>('POST', `${first.url}/v1/runs`, {
    agentId: 'far',
    messages: [{ role: 'user', content: '[[approval]] go' }],
  });
  expect(waiting).toMatchObject({ status: 'waiting', pending: [{ kind: 'input' }] });
  const { tool_call_id } = waiting.pending[0]!;
  const decision = { target_id: tool_call_id, decision_id: 'd', action: 'resume', result: 'approved', updated_at: 0 };
  await call('POST', `${first.url}/v1/runs/${waiting.run_id}/inputs`, { decisions: [decision] });
  const { status, termination_code, response } = await ending(first.url, waiting.run_id);
  expect({ status, termination_code }).toEqual({ status: 'done', termination_code: 'natural' });
  expect(response).not.toBe('');
});
