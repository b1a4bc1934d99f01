/** Whatever an AG-UI client sends, a documented status and `{"error"}` come back, and the server stays up. */

import { describe, expect, it } from 'vitest';
import fc, { inputs } from '../support/property.js';
import { post } from '../support/http-server.js';
import { openServer } from './server.js';
import { runsOf, streamOf } from './wire.js';

/** Inputs per test. */
const RUNS = inputs(300);

const odd = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1.5, '', ' ', '\u0000', 'x'.repeat(300), [], {}, [[]], [null], '__proto__'),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
);
const id = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('t', 'u', 'c') }, { weight: 1, arbitrary: odd });
const role = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('user', 'system', 'developer', 'assistant', 'tool', 'activity', 'reasoning'),
  },
  { weight: 1, arbitrary: odd },
);
const message = fc.record({ role, id, content: odd, toolCallId: id, error: odd }, { requiredKeys: ['role'] });
const messages = fc.oneof(fc.array(message, { maxLength: 5 }), odd);
const resume = fc.array(
  fc.record(
    { interruptId: id, status: fc.constantFrom('resolved', 'cancelled', 'x'), payload: odd },
    { requiredKeys: [] },
  ),
);
const extras = {
  state: odd,
  model: odd,
  systemPrompt: odd,
  parentRunId: odd,
  parentThreadId: odd,
  protocolVersion: odd,
  decisions: odd,
  config: fc.oneof(odd, fc.record({ temperature: odd, maxTokens: odd, stop: odd, tool_execution_mode: odd })),
  on_busy: fc.constantFrom('interrupt', 'enqueue', 'reject', 'rollback', 'x', null),
};
const body = fc.record(
  {
    threadId: fc.constantFrom('a', 'b', 'c', '', null),
    runId: fc.oneof({ weight: 3, arbitrary: fc.uuid() }, { weight: 1, arbitrary: id }),
    messages,
    tools: fc.oneof(odd, fc.array(fc.record({ name: odd, description: odd, parameters: odd, execute: odd }))),
    context: fc.oneof(odd, fc.array(fc.record({ description: odd, value: odd }))),
    resume: fc.oneof(odd, resume),
    forwardedProps: fc.oneof(odd, fc.record(extras, { requiredKeys: [] })),
    ...extras,
  },
  { requiredKeys: ['threadId', 'runId', 'messages'] },
);

async function assertDocumented(response: Response, allowed: readonly number[]): Promise<void> {
  const text = await response.text();
  expect([200, 202, 204, ...allowed], text).toContain(response.status);
  if (response.status < 300) return;
  expect(Object.keys(JSON.parse(text) as object)).toEqual(['error']);
  expect(text).not.toMatch(/node_modules|\.ts\b|\.js\b|internal error/);
}

describe('bad input', () => {
  it('in the body of a run', async () => {
    const { url, server } = await openServer();
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom('spy', 'approver', 'nobody'), async (sent, agent) => {
        await assertDocumented(await post(runsOf(url, agent), sent), [400, 404, 409]);
        expect(server.status).toBe('ready');
      }),
      { numRuns: RUNS },
    );
    expect((await fetch(`${url}/health`)).status).toBe(200);
  }, 300_000);

  it('in paths, queries and positions', async () => {
    const { url } = await openServer();
    await (
      await post(runsOf(url, 'spy'), { threadId: 't', runId: 'r', messages: [{ role: 'user', content: 'x' }] })
    ).text();
    const part = fc.oneof(
      fc.constantFrom('t', 'r', 'spy', '%00', '%ff', '%', '..', '*'),
      fc.string().map(encodeURIComponent),
    );
    const key = fc.constantFrom(
      'after',
      'before',
      'limit',
      'order',
      'visibility',
      'run_id',
      'format',
      'protocolVersion',
    );
    const value = fc.oneof(fc.constantFrom('0', '-1', '1.0', '3.1', 'ag-ui', 'x'), fc.string().map(encodeURIComponent));
    const query = fc
      .array(fc.tuple(key, value), { maxLength: 3 })
      .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`);
    const seen = fc.constantFrom('', '0', '1.0', '99', 'x', '9'.repeat(40));
    await fc.assert(
      fc.asyncProperty(part, part, query, seen, async (a, b, asked, lastEventId) => {
        const paths = [`/v1/ag-ui/threads/${a}/messages`, `/v1/runs/${a}/events`, streamOf('', a, b)];
        for (const path of paths) {
          const response = await fetch(url + path + asked, { headers: { 'last-event-id': lastEventId } });
          await assertDocumented(response, [400, 404]);
        }
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  }, 300_000);
});
