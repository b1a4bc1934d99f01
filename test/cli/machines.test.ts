/** Machines drawn from what the server says of them, and the live state of actors in them (OPERATOR, "the rail"). */

import { describe, expect, it } from 'vitest';
import { defineAgent } from '../../src/agents/agent.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { finish, toolCall } from '../../src/agents/scripted/parts.js';
import { defineTool } from '../../src/agents/tool.js';
import { gate } from '../support/gate.js';
import { asker, user } from '../support/service.js';
import { linesOf, openTool, until } from './cli.js';

describe('machine', () => {
  it.each(['thread', 'run', 'tool-call', 'mailbox-entry'])('draws %s in every format', async (name) => {
    const tool = await openTool();
    const rail = await tool.cli('machine', name);
    expect([rail.code, rail.stderr]).toEqual([0, '']);
    const { item } = await tool.json<{ item: { name: string; definition: { states: object }; actor: null } }>(
      'machine',
      name,
    );
    expect(item).toMatchObject({ name, actor: null });
    for (const state of Object.keys(item.definition.states)) expect(rail.stdout).toContain(` ${state}`);
    expect(rail.stdout).not.toContain('●');
    expect((await tool.cli('machine', name, '--format', 'mermaid')).stdout).toMatch(/^stateDiagram-v2\n/);
    expect((await tool.cli('machine', name, '--ascii')).stdout).not.toMatch(/[^\n -~]/);
    expect(linesOf('Machine', (await tool.cli('machine', name, '-o', 'jsonl')).stdout)).toEqual([item]);
  });

  it('lights the state of a run, of its thread, of its call', async () => {
    const tool = await openTool({ agents: [asker()] });
    const { run_id } = await tool.run({ agent_id: 'asker', messages: [user('x')] });
    for (const argv of [
      ['runs', 'machine', run_id],
      ['machine', 'run', '--run', run_id],
    ]) {
      const { code, stdout } = await tool.cli(...argv);
      expect(code).toBe(0);
      expect(stdout).toMatch(/[├└][─▸] ● waiting +← \d+s/);
    }
    expect((await tool.cli('machine', 'thread', '--run', run_id)).stdout).toMatch(/● thread/);
    const call = await tool.cli('machine', 'tool-call', '--run', run_id, '--call', 'call-1');
    expect(call.stdout).toMatch(/● suspended/);
    const mermaid = await tool.cli('runs', 'machine', run_id, '--format', 'mermaid');
    expect(mermaid.stdout).toContain('class waiting active');
    const { item } = await tool.json('runs', 'machine', run_id);
    expect(item).toMatchObject({ actor: { id: `run:${run_id}`, path: ['waiting'] } });
  });

  it('tells what came too late for the log', async () => {
    const [began, paid] = [gate(), gate()];
    const pay = defineTool({
      name: 'pay',
      description: 'pays, whatever it is told',
      input: { type: 'object' },
      execute: () => (began.open(), paid.opened.then(() => ({ paid: 100 }))),
    });
    const model = scriptedModel(() => [...toolCall('call-1', 'pay'), finish('tool-calls')]);
    const tool = await openTool({
      agents: [defineAgent({ id: 'payer', model, tools: [pay] })],
      limits: { cancel_ms: 1 },
    });
    const { run_id } = await tool.start({ agent_id: 'payer', messages: [user('x')] });
    await began.opened;
    await tool.cli('runs', 'cancel', run_id, '-y');
    await expect.poll(async () => (await tool.cli('runs', 'machine', run_id)).stdout).toContain('◉ done');
    expect((await tool.cli('runs', 'machine', run_id)).stdout).not.toContain('too late');
    paid.open();
    await expect
      .poll(async () => (await tool.cli('runs', 'machine', run_id)).stdout)
      .toMatch(/came too late for the log\n +\d+s ago {2}pay call-1 succeeded {"paid":100}\n/);
    const { item } = await tool.json('runs', 'machine', run_id);
    expect(item).toMatchObject({ actor: { late_outcomes: [{ tool_call_id: 'call-1', result: { paid: 100 } }] } });
  });

  it('shows a run that is done, too', async () => {
    const tool = await openTool();
    const { run_id } = await tool.run({ agent_id: 'assistant', messages: [user('x')] });
    expect((await tool.cli('runs', 'machine', run_id)).stdout).toMatch(/◉ done/);
  });

  it('--watch writes the drawing again when the run has moved', async () => {
    const tool = await openTool({ agents: [asker()] });
    const { run_id } = await tool.run({ agent_id: 'asker', messages: [user('x')] });
    const watching = tool.begin(['runs', 'machine', run_id, '-w', '--interval', '5ms']);
    await until(watching.stdout).toMatch(/● waiting/);
    await tool.cli('decide', run_id, 'call-1', 'deny');
    await until(watching.stdout).toMatch(/◉ done/);
    watching.interrupt();
    const { code, stdout } = await watching.done;
    expect(code).toBe(130);
    expect(stdout.match(/● waiting/g)).toHaveLength(1);
  });

  it.each([
    [['runs', 'machine', 'nope'], 3],
    [['machine', 'tool-call', '--run', 'x'], 2],
    [['machine', 'tool-call', '--call', 'x'], 2],
    [['machine', 'mailbox-entry', '--run', 'x'], 2],
    [['machine', 'car'], 2],
    [['machine', 'run', '-o', 'name'], 2],
    [['runs', 'machine', 'x', '--watch', '--format', 'json', '-o', 'json'], 2],
  ])('%j: %i', async (argv, code) => {
    const { cli } = await openTool();
    expect(await cli(...argv)).toMatchObject({ code, stdout: '' });
  });
});
