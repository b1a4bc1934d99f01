/**
 * Secrets that are planted wherever one can come from are in no log line, no event and no row of the store: a provider's key
 * in what the provider says, a caller's token, headers, a body that is refused, and arguments under names that say so.
 */

import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { defineAgent, bindAgent } from '../../src/agents/agent.js';
import { createModelResolver } from '../../src/agents/providers/resolver.js';
import { finish, say, toolCall } from '../../src/agents/scripted/parts.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { defineTool } from '../../src/agents/tool.js';
import { discreet } from '../../src/discreet-logger.js';
import { parseTokens } from '../../src/http/tokens.js';
import { MemoryStore } from '../../src/store/memory.js';
import { openService, user } from '../support/service.js';

const KEY = 'sk-planted-provider-key-0123456789';
const TOKEN = 'planted-token-of-a-caller';
const PLANTED = { header: 'planted-in-a-header', body: 'planted-in-a-body', argument: 'planted-as-an-argument' };

/** Says the key it was given, in an answer that looks fine until it breaks. */
async function indiscreetProvider(): Promise<string> {
  const server = createServer((request, response) => {
    const said = `your key ${request.headers.authorization?.replace('Bearer ', '')} is not good enough`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ error: { message: said, type: 'invalid_request_error', code: 'x' } })}\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

it('no secret reaches a log, an event or the store', async () => {
  const providers = {
    p: { kind: 'openai-compatible' as const, base_url: await indiscreetProvider(), api_key_env: 'K' },
  };
  const leaky = bindAgent(defineAgent({ id: 'leaky', model: 'p:m' }), createModelResolver(providers, { K: KEY }));
  const login = defineTool({
    name: 'login',
    description: 'logs in',
    input: { type: 'object' },
    execute(_input, context) {
      context.progress({ progress: 0.5, message: 'on my way' });
      throw new Error(`refused with ${KEY}`);
    },
  });
  const user_ = defineAgent({
    id: 'tools',
    tools: [login],
    model: scriptedModel(({ prompt }) =>
      prompt.at(-1)!.role === 'tool'
        ? say('so be it')
        : [...toolCall('c', 'login', { api_key: PLANTED.argument }), finish('tool-calls')],
    ),
  });
  const lines: string[] = [];
  const logger = discreet(pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }));
  const store = new MemoryStore();
  const service = await openService({
    agents: [leaky, user_],
    store,
    logger,
    limits: { retry_ms: 1 },
    http: { logger, tokens: parseTokens(TOKEN) },
  });
  const headers = { authorization: `Bearer ${TOKEN}`, cookie: PLANTED.header, 'x-api-key': PLANTED.header };
  const run = (agentId: string) =>
    service.call<{ run_id: string; status: string; termination_detail: string }>(
      'POST',
      '/v1/runs',
      { agentId, messages: [user('x')] },
      { ...headers, accept: 'application/json' },
    );
  const events = async (run_id: string): Promise<string> =>
    JSON.stringify(
      (await service.call('GET', `/v1/runs/${run_id}/events`, undefined, { ...headers, accept: 'application/json' }))
        .body,
    );

  const failed = (await run('leaky')).body;
  expect(failed.termination_detail).toContain('your key [redacted] is not good enough');
  expect(await events(failed.run_id)).toContain('[redacted]');
  expect(await events(failed.run_id)).not.toContain(KEY);
  const told = (await run('tools')).body;
  expect(await events(told.run_id)).toContain('refused with [redacted]');
  await service.call('POST', '/v1/runs', { agentId: 7, password: PLANTED.body }, headers);
  await service.call('GET', `/v1/runs/x?token=${PLANTED.body}`, undefined, headers);
  await service.call('GET', '/v1/runs', undefined, { authorization: `Bearer ${PLANTED.header}` });
  logger.warn({ tool: 'login', arguments: { api_key: PLANTED.argument } }, 'a tool call ended after it was closed');
  logger.error({ err: Object.assign(new Error(`with ${KEY}`), { headers: { authorization: PLANTED.header } }) }, 'x');

  const log = lines.join('');
  expect(log).toContain('"msg":"request"');
  expect(log).toContain('[redacted]');
  for (const secret of [KEY, TOKEN, ...Object.values(PLANTED)]) expect(log, secret).not.toContain(secret);
  let rows = '';
  for await (const [, value] of store.range({ gte: Buffer.alloc(1), lt: Buffer.alloc(8, 0xff) })) rows += value;
  expect(rows).toContain('so be it');
  for (const secret of [KEY, TOKEN, PLANTED.header, PLANTED.body]) expect(rows, secret).not.toContain(secret);
});
