/** Runs started, followed, decided and cancelled from the command line; how the commands end (OPERATOR, exit codes). */

import { describe, expect, it } from 'vitest';
import { asker, holder, user } from '../support/service.js';
import { fits, linesOf, openTool, type Tool, until } from './cli.js';

type Event = { type: string; seq: number };
type Outcome = {
  item: { run_id: string; status: string; response: string | null; pending: { tool_call_id: string }[] };
};

describe('runs start', () => {
  it('tells a person the story, and ends as the run does', async () => {
    const { cli } = await openTool();
    const { code, stdout, stderr } = await cli('runs', 'start', 'assistant', '[[tools 1]]', 'good', 'morning');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^▶ run \S+ of assistant\n→ look_up \{"topic":"good morning"\}\n← look_up \{/);
    expect(stdout).toMatch(/You said: "good morning"\. .*\n■ natural \d+\+\d+ tokens\n$/);
  });

  it('in ASCII when asked to', async () => {
    const { cli } = await openTool();
    const { stdout } = await cli('runs', 'start', 'assistant', '[[tools 1]] x', '--ascii');
    expect(stdout).toMatch(/^> run .*\n-> look_up/);
    expect(stdout).not.toMatch(/[^\n -~]/);
  });

  it('has the whole log as jsonl, the outcome as json, the id as name', async () => {
    const tool = await openTool();
    const events = linesOf<Event>(
      'RunEvent',
      (await tool.cli('runs', 'start', 'assistant', 'x', '-o', 'jsonl')).stdout,
    );
    expect(events.map(({ seq }) => seq)).toEqual([...events.keys()]);
    expect(events.at(-1)!.type).toBe('run_finish');
    const { item } = await tool.json<Outcome>('runs', 'start', 'assistant', 'x');
    expect(item).toMatchObject({ status: 'done', response: expect.stringContaining('You said: "x"') as string });
    const named = await tool.cli('runs', 'start', 'assistant', 'x', '--run-id', 'mine', '-o', 'name');
    expect(named).toEqual({ code: 0, stdout: 'mine\n', stderr: '' });
  });

  it('says of a run that its turn has not come', async () => {
    const { agent, release } = holder();
    const tool = await openTool({ agents: [agent] });
    const { thread_id } = await tool.start({ agent_id: 'holder', messages: [user('x')] });
    const behind = ['--thread', thread_id, '--on-busy', 'enqueue', '--run-id', 'later'];
    const starting = tool.begin(['runs', 'start', 'holder', 'y', ...behind]);
    await until(starting.stderr).toBe(`run later waits for its turn on thread ${thread_id}\n`);
    const watching = tool.begin(['runs', 'watch', 'later', '--exit-status']);
    await until(watching.stderr).toContain('run later waits for its turn');
    release();
    expect([(await starting.done).code, (await watching.done).code]).toEqual([0, 0]);
  });

  it('takes thread, state, metadata, resource and stdin', async () => {
    const tool = await openTool();
    const more = ['--state', '{"a":1}', '--metadata', '{"b":2}', '--resource', 'r', '--thread', 't'];
    const { code } = await tool.begin(['runs', 'start', 'assistant', '-', ...more], { stdin: 'one\ntwo\n' }).done;
    expect(code).toBe(0);
    expect((await tool.call('GET', '/v1/threads/t')).body).toMatchObject({
      resource_id: 'r',
      state: { a: 1 },
      messages: [{ content: 'one\ntwo' }, {}],
    });
    expect((await tool.call('GET', '/v1/runs?thread_id=t')).body).toMatchObject({ items: [{ metadata: { b: 2 } }] });
  });

  it('--detach leaves with the record', async () => {
    const { agent, release } = holder();
    const tool = await openTool({ agents: [agent] });
    const { item } = await tool.json<Outcome>('runs', 'start', 'holder', 'x', '-d');
    expect(item.status).not.toBe('done');
    release();
  });

  it('of a run that fails: 8', async () => {
    const { cli } = await openTool();
    const { code, stdout } = await cli('runs', 'start', 'failing', 'x');
    expect([code, stdout]).toEqual([
      8,
      expect.stringMatching(/\n✗ the scripted model failed.*\n■ error \(.*\) 0\+0 tokens\n$/),
    ]);
  });

  it('of a run that waits for a person: 9, and how to decide', async () => {
    const tool = await openTool();
    const { code, stdout, stderr } = await tool.cli('runs', 'start', 'approver', 'x');
    expect(code).toBe(9);
    expect(stdout).toContain('waits (approval): approve transfer_funds?');
    expect(stderr).toMatch(/^agent-server decide \S+ call_\S+ approve\|deny\|answer\n$/);
    const { code: again, stdout: outcome } = await tool.cli('runs', 'start', 'approver', 'x', '-o', 'json');
    expect(again).toBe(9);
    expect((fits(outcome) as unknown as Outcome).item.pending).toHaveLength(1);
  });

  it('of no agent: 3; on a busy thread that is not to be disturbed: 4', async () => {
    const tool = await openTool();
    expect(await tool.cli('runs', 'start', 'nobody', 'x')).toMatchObject({
      code: 3,
      stderr: 'agent-server: agent not found: nobody\n',
    });
    const { thread_id } = await tool.run({ agent_id: 'approver', messages: [user('x')] });
    const busy = await tool.cli('runs', 'start', 'assistant', 'x', '--thread', thread_id, '--on-busy', 'reject');
    expect(busy).toMatchObject({ code: 4, stderr: expect.stringContaining('thread is busy') as string });
  });

  it('ctrl-c leaves the run alone, and says so: 130', async () => {
    const { agent, release } = holder();
    const tool = await openTool({ agents: [agent] });
    const starting = tool.begin(['runs', 'start', 'holder', 'x']);
    await until(starting.stdout).toContain('one moment');
    starting.interrupt();
    const { code, stdout, stderr } = await starting.done;
    expect(code).toBe(130);
    expect(stdout.endsWith('one moment\n')).toBe(true);
    const run = /the run goes on: agent-server runs watch (\S+)/.exec(stderr)![1]!;
    expect((await tool.call('GET', `/v1/runs/${run}`)).body).toMatchObject({ status: 'running' });
    release();
  });
});

describe('runs watch', () => {
  it('--exit-status ends as the run has: 0, 8, 9; without it: 0', async () => {
    const tool = await openTool();
    const ends = { assistant: 0, failing: 8, approver: 9 };
    for (const [agent_id, expected] of Object.entries(ends)) {
      const { run_id } = await tool.run({ agent_id, messages: [user('x')] });
      expect((await tool.cli('runs', 'watch', run_id, '--exit-status')).code).toBe(expected);
      if (expected !== 9) expect((await tool.cli('runs', 'watch', run_id)).code).toBe(0);
    }
    expect((await tool.cli('runs', 'watch', 'nope')).code).toBe(3);
  });

  it('goes through a pause that is over, and waits through one that is not', async () => {
    const tool = await openTool({ agents: [asker()] });
    const { run_id } = await tool.run({ agent_id: 'asker', messages: [user('x')] });
    const watching = tool.begin(['runs', 'watch', run_id, '-o', 'jsonl']);
    await until(watching.stdout).toContain('run_waiting');
    expect((await tool.cli('decide', run_id, 'call-1', 'approve')).code).toBe(0);
    const { code, stdout } = await watching.done;
    expect(code).toBe(0);
    expect(linesOf<Event>('RunEvent', stdout).at(-1)!.type).toBe('run_finish');
    expect((await tool.cli('runs', 'watch', run_id, '--exit-status')).code).toBe(0);
  });

  it('ends with --timeout: 7', async () => {
    const tool = await openTool({ agents: [asker()] });
    const { run_id } = await tool.run({ agent_id: 'asker', messages: [user('x')] });
    expect(await tool.cli('runs', 'watch', run_id, '--timeout', '50ms')).toMatchObject({ code: 7 });
  });
});

describe('runs events', () => {
  it('begins where it is told, and follows to the end', async () => {
    const tool = await openTool();
    const { run_id } = await tool.run({ agent_id: 'assistant', messages: [user('x')] });
    const all = linesOf<Event>('RunEvent', (await tool.cli('runs', 'events', run_id, '--all', '-o', 'jsonl')).stdout);
    const { stdout } = await tool.cli('runs', 'events', run_id, '--after', '3', '--watch', '-o', 'jsonl');
    expect(linesOf('RunEvent', stdout)).toEqual(all.slice(4));
    const table = await tool.cli('runs', 'events', run_id, '--watch', '-q', 'type=run_start,run_finish');
    expect(table.stdout.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('decide', () => {
  const waiting = async (kind: string): Promise<Tool & { run_id: string; target: string }> => {
    const tool = await openTool();
    const { run_id } = await tool.run({ agent_id: kind, messages: [user('x')] });
    const { items } = await tool.json<{ items: { tool_call_id: string }[] }>(
      'approvals',
      'list',
      '-q',
      `run=${run_id}`,
    );
    return { ...tool, run_id, target: items[0]!.tool_call_id };
  };
  const done = (tool: Tool, run_id: string) => tool.cli('runs', 'watch', run_id, '--exit-status');

  it('approves', async () => {
    const tool = await waiting('approver');
    const { item } = await tool.json('decide', tool.run_id, tool.target, 'approve');
    expect(item).toMatchObject({ run_id: tool.run_id, tool_call_id: tool.target, decision: 'approve' });
    expect((await done(tool, tool.run_id)).stdout).toContain('"status":"sent"');
  });

  it('denies, with a reason for the model', async () => {
    const tool = await waiting('approver');
    await tool.cli('decide', tool.run_id, tool.target, 'deny', '--reason', 'zu teuer');
    expect((await done(tool, tool.run_id)).stdout).toContain('transfer_funds denied zu teuer');
  });

  it('answers', async () => {
    const tool = await waiting('painter');
    expect(
      (await tool.cli('decide', tool.run_id, `fc_${tool.target}`, 'answer', '--result', '{"painted":true}')).code,
    ).toBe(0);
    expect((await done(tool, tool.run_id)).stdout).toContain('set_background {"painted":true}');
  });

  it.each<[agent: string, argv: string[], code: number, message: RegExp]>([
    ['approver', ['answer', '--result', '1'], 2, /waits for approval, not for an answer/],
    ['approver', ['approve', '--result', '1'], 2, /--result goes with answer/],
    ['painter', ['approve'], 2, /waits for an answer \(frontend\)/],
    ['painter', ['answer'], 2, /answer needs --result/],
    ['painter', ['answer', '--result', 'blue'], 2, /expected JSON, got blue\n.*'"blue"'/],
    ['painter', ['maybe'], 2, /Allowed choices are approve, deny, answer/],
  ])('%s %j: %i, and nothing is decided', async (agent, argv, code, message) => {
    const tool = await waiting(agent);
    const result = await tool.cli('decide', tool.run_id, tool.target, ...argv);
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) as string });
    expect((await tool.call('GET', `/v1/runs/${tool.run_id}`)).body).toMatchObject({ status: 'waiting' });
  });

  it('of what does not wait: 4; of no run: 3', async () => {
    const tool = await waiting('approver');
    expect(await tool.cli('decide', tool.run_id, 'other', 'approve')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(`it waits for ${tool.target}`) as string,
    });
    await tool.cli('decide', tool.run_id, tool.target, 'deny');
    await done(tool, tool.run_id);
    expect((await tool.cli('decide', tool.run_id, tool.target, 'deny')).code).toBe(4);
    expect((await tool.cli('decide', 'nope', 'x', 'deny')).code).toBe(3);
  });
});
