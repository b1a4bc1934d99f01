/** CopilotKit's core, as its React components drive it: its own agent class, its own tool loop, against this server. */

import { CopilotKitCore } from '@copilotkit/core';
import { HttpAgent } from 'ag-ui-client-0059';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually, history, runsOf, said } from './wire.js';
import { openServer } from './server.js';

type Core = InstanceType<typeof CopilotKitCore>;
type Tool = NonNullable<ConstructorParameters<typeof CopilotKitCore>[0]['tools']>[number];

function open(url: string, agentId: string, tools: Tool[] = []): { core: Core; agent: HttpAgent } {
  const agent = new HttpAgent({ url: runsOf(url, agentId), threadId: 't', agentId });
  const core = new CopilotKitCore({ agents__unsafe_dev_only: { [agentId]: agent }, tools });
  return { core, agent };
}

let ids = 0;
async function says({ core, agent }: ReturnType<typeof open>, content: string): Promise<void> {
  agent.addMessage({ id: `c${++ids}`, role: 'user', content });
  await core.runAgent({ agent });
}

describe("CopilotKit's core", () => {
  it('talks, and talks on', async () => {
    const { url } = await openServer();
    const chat = open(url, 'assistant');
    await says(chat, 'hello');
    await says(chat, 'again');
    expect(chat.agent.messages.map(({ id }) => id)).toEqual((await history(url, 't')).messages.map(({ id }) => id));
    expect(chat.agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: expect.stringContaining('again') });
  });

  it('carries out its tool and goes on by itself with the result', async () => {
    const { url } = await openServer();
    const colors: string[] = [];
    const chat = open(url, 'painter', [
      {
        name: 'set_background',
        description: 'Paints the page.',
        parameters: z.object({ color: z.string() }),
        handler: async ({ color }) => {
          colors.push(color as string);
          return `painted ${color as string}`;
        },
      },
    ]);
    await says(chat, 'make it blue');
    expect(colors).toHaveLength(1);
    expect(chat.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(await said(url, 't')).toHaveLength(4);
  });

  it.each([
    ['approved', { approved: true }, '"status":"sent"'],
    ['denied', { approved: false }, 'denied by the user'],
  ])('answers an interrupt: %s', async (_, payload, result) => {
    const { url } = await openServer();
    const chat = open(url, 'approver');
    await says(chat, 'pay');
    const { agent, core } = chat;
    const [interrupt] = agent.pendingInterrupts;
    await core.runAgent({ agent, resume: [{ interruptId: interrupt!.id, status: 'resolved', payload }] });
    expect(agent.pendingInterrupts).toEqual([]);
    const results = (await said(url, 't')).filter((line) => line.startsWith('tool'));
    expect(results).toEqual([expect.stringContaining(result)]);
  });

  it('stops reading, and the run goes on (CONTRACT 1.8)', async () => {
    const { url, gate } = await openServer();
    const chat = open(url, 'gated');
    const running = says(chat, 'go');
    await eventually(() => Promise.resolve(chat.agent.messages)).toHaveLength(2);
    chat.core.stopAgent({ agent: chat.agent });
    await running;
    gate.open();
    await eventually(() => said(url, 't')).toEqual(['user: go', 'assistant: one two three']);
  });
});
