/** Commands that change something: what they ask, when they ask it, and what comes of it (OPERATOR, Commands). */

import { describe, expect, it } from 'vitest';
import { asker, user } from '../support/service.js';
import { fits, linesOf, openTool, type Tool, until } from './cli.js';

/** A thread whose run waits, with two entries behind it. */
async function busy(): Promise<Tool & { thread: string; run_id: string; queued: string[] }> {
  const tool = await openTool({ agents: [asker()] });
  const { thread_id: thread, run_id } = await tool.run({ agent_id: 'asker', messages: [user('x')] });
  for (const word of ['one', 'two']) {
    await tool.start({ agent_id: 'asker', thread_id: thread, on_busy: 'enqueue', messages: [user(word)] });
  }
  const { stdout } = await tool.cli('threads', 'mailbox', thread, '-q', 'status=queued', '-o', 'name');
  return {
    ...tool,
    thread,
    run_id,
    queued: stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[1]!),
  };
}

const status = async (tool: Tool, run: string) => (await tool.call('GET', `/v1/runs/${run}`)).body.status;

describe('confirmation', () => {
  it('without a terminal names what would change and the command to repeat: 2', async () => {
    const tool = await busy();
    expect(await tool.cli('runs', 'cancel', tool.run_id, '--reason', "it's stuck", '--token', 'secret')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `agent-server: needs confirmation: this cancels 1 run (${tool.run_id})\n` +
        `  agent-server runs cancel ${tool.run_id} --reason 'it'\\''s stuck' -y\n`,
    });
    expect(await tool.cli('threads', 'delete', tool.thread)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `deletes 1 thread (${tool.thread}) with 2 messages, cancels 1 active run (${tool.run_id}), supersedes 2 queued entries`,
      ) as string,
    });
    expect((await tool.cli('threads', 'interrupt', tool.thread)).code).toBe(2);
    expect((await tool.cli('mailbox', 'cancel', tool.thread, tool.queued[0]!)).code).toBe(2);
    expect(await status(tool, tool.run_id)).toBe('waiting');
  });

  it.each([
    ['y', 0, 'done'],
    ['yes', 0, 'done'],
    ['n', 2, 'waiting'],
    ['', 2, 'waiting'],
  ])('on a terminal asks; %j: %i', async (answer, code, then) => {
    const tool = await busy();
    const cancelling = tool.begin(['runs', 'cancel', tool.run_id], { terminal: 80 });
    await until(cancelling.stderr).toContain(`This cancels 1 run (${tool.run_id}). Go on? [y/N] `);
    cancelling.say(answer);
    expect((await cancelling.done).code).toBe(code);
    await until(() => status(tool, tool.run_id)).toBe(then);
  });

  it('ctrl-c at the question changes nothing: 130', async () => {
    const tool = await busy();
    const cancelling = tool.begin(['runs', 'cancel', tool.run_id], { terminal: 80 });
    await until(cancelling.stderr).toContain('Go on?');
    cancelling.interrupt();
    expect((await cancelling.done).code).toBe(130);
    expect(await status(tool, tool.run_id)).toBe('waiting');
  });
});

describe('with -y', () => {
  it('runs cancel takes several, tells of each, and ends as the first that failed', async () => {
    const tool = await busy();
    const { run_id: done } = await tool.run({ agent_id: 'asker', messages: [user('x')], thread_id: 'other' });
    await tool.cli('runs', 'cancel', done, '-y');
    await until(() => status(tool, done)).toBe('done');
    const { code, stdout, stderr } = await tool.cli('runs', 'cancel', done, tool.run_id, '-y', '-o', 'jsonl');
    expect(code).toBe(4);
    expect(stderr).toBe(`agent-server: ${done}: run is not active\n`);
    expect(linesOf('RunCancelled', stdout)).toEqual([{ status: 'cancel_requested', run_id: tool.run_id }]);
  });

  it('runs cancel -q takes all that match and are not done', async () => {
    const tool = await busy();
    const { stdout } = await tool.cli('runs', 'cancel', '-q', `thread=${tool.thread}`, '-y', '-o', 'json');
    expect((fits(stdout) as { items: unknown[] }).items).toHaveLength(3);
    expect(await tool.cli('runs', 'cancel', '-q', 'agent=nobody', '-y')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'no such run is active\n',
    });
    expect((await tool.cli('runs', 'cancel', '-y')).code).toBe(2);
  });

  it('threads interrupt says what it took along', async () => {
    const tool = await busy();
    const { stdout } = await tool.cli('threads', 'interrupt', tool.thread, '-y');
    expect(stdout).toBe(
      `thread ${tool.thread} is interrupted: run ${tool.run_id} is cancelled, 2 entries superseded\n`,
    );
    fits((await tool.cli('threads', 'interrupt', tool.thread, '-y', '-o', 'json')).stdout);
    expect((await tool.cli('threads', 'interrupt', 'nope', '-y')).code).toBe(3);
  });

  it('threads delete removes what is there: a thread that is not is 3', async () => {
    const tool = await busy();
    fits((await tool.cli('threads', 'delete', tool.thread, '-y', '-o', 'json')).stdout);
    expect((await tool.call('GET', `/v1/threads/${tool.thread}`)).status).toBe(404);
    expect((await tool.cli('threads', 'delete', tool.thread, '-y')).code).toBe(3);
  });

  it('mailbox cancel takes a queued entry out: one that has left the queue is 4', async () => {
    const tool = await busy();
    const [entry] = tool.queued as [string];
    fits((await tool.cli('mailbox', 'cancel', tool.thread, entry, '-y', '-o', 'json')).stdout);
    expect((await tool.cli('mailbox', 'cancel', tool.thread, entry, '-y')).code).toBe(4);
    expect((await tool.cli('mailbox', 'cancel', tool.thread, 'nope', '-y')).code).toBe(3);
  });
});

describe('without asking', () => {
  it('mailbox priority moves an entry', async () => {
    const tool = await busy();
    const { item } = await tool.json('mailbox', 'priority', tool.thread, tool.queued[1]!, '200');
    expect(item).toMatchObject({ entry_id: tool.queued[1], priority: 200 });
    expect((await tool.cli('mailbox', 'retry', tool.thread, tool.queued[1]!)).code).toBe(4);
  });

  it('threads fork copies', async () => {
    const tool = await openTool();
    const { thread_id } = await tool.run({ agent_id: 'assistant', messages: [user('x')] });
    const { item } = await tool.json('threads', 'fork', thread_id, '--id', 'copy');
    expect(item).toMatchObject({ id: 'copy', message_count: 2 });
    expect((await tool.cli('threads', 'fork', thread_id, '--id', 'copy')).code).toBe(4);
    expect((await tool.cli('threads', 'fork', 'nope')).code).toBe(3);
  });
});
