/** `chat`: a conversation with approvals inline, and ctrl-c in its two meanings (OPERATOR, Commands). */

import { describe, expect, it } from 'vitest';
import { holder, user } from '../support/service.js';
import { linesOf, openTool, until } from './cli.js';

const terminal = { terminal: 100, env: { NO_COLOR: '1' } };

describe('chat', () => {
  it('keeps to one thread, and ends with the input: 0', async () => {
    const tool = await openTool();
    const { code, stdout, stderr } = await tool.begin(['chat', 'assistant'], { stdin: 'one\n\ntwo\n' }).done;
    expect(code).toBe(0);
    expect(stdout).toMatch(/You said: "one"[\s\S]*You said: "two"/);
    const thread = /^thread (\S+)$/m.exec(stderr)![1]!;
    const { body } = await tool.call<{ messages: { content: string }[] }>('GET', `/v1/threads/${thread}`);
    expect(body.messages.map(({ content }) => content)).toMatchObject(
      ['one', /./, 'two', /./].map(() => expect.any(String) as string),
    );
    expect(body.messages).toHaveLength(4);
  });

  it('asks for approval, and goes on', async () => {
    const tool = await openTool();
    const chat = tool.begin(['chat', 'approver'], terminal);
    await until(chat.stderr).toContain('> ');
    chat.say('pay');
    await until(chat.stderr).toContain('transfer_funds: approve transfer_funds?\napprove? [y/N, or why not] ');
    chat.say('y');
    await until(chat.stdout).toContain('natural');
    expect(chat.stdout()).toContain('"status":"sent"');
    chat.say('again');
    await until(() => chat.stderr().split('why not').length).toBe(3);
    chat.say('that is enough');
    await until(() => chat.stdout().split('natural').length).toBe(3);
    expect(chat.stdout()).toContain('denied that is enough');
    chat.interrupt();
    expect((await chat.done).code).toBe(130);
  });

  it('asks for what a client would do', async () => {
    const tool = await openTool();
    const chat = tool.begin(['chat', 'painter'], terminal);
    chat.say('blue');
    await until(chat.stderr).toContain('its result (JSON or text; empty denies) ');
    chat.say('painted it');
    await until(chat.stdout).toContain('← set_background painted it');
    chat.interrupt();
    await chat.done;
  });

  it('ctrl-c cancels the run, and leaves when nothing is under way', async () => {
    const { agent } = holder();
    const tool = await openTool({ agents: [agent] });
    const chat = tool.begin(['chat', 'holder'], terminal);
    chat.say('x');
    await until(chat.stdout).toContain('one moment');
    chat.interrupt();
    await until(chat.stdout).toContain('■ cancelled');
    await until(() => chat.stderr().endsWith('> ')).toBe(true);
    expect(chat.stderr()).toContain('cancelling; ctrl-c again to leave');
    chat.interrupt();
    expect((await chat.done).code).toBe(130);
  });

  it('ctrl-c at a question cancels the run', async () => {
    const tool = await openTool();
    const chat = tool.begin(['chat', 'approver'], terminal);
    chat.say('x');
    await until(chat.stderr).toContain('why not');
    chat.interrupt();
    await until(chat.stdout).toContain('■ cancelled');
    await until(() => chat.stderr().endsWith('> ')).toBe(true);
    chat.interrupt();
    await chat.done;
  });

  it('a second ctrl-c leaves, whatever the run does', async () => {
    const { agent } = holder();
    const tool = await openTool({ agents: [agent] });
    const chat = tool.begin(['chat', 'holder'], terminal);
    chat.say('x');
    await until(chat.stdout).toContain('one moment');
    chat.interrupt();
    chat.interrupt();
    expect((await chat.done).code).toBe(130);
  });

  it('goes on with a thread that waits for the person who comes', async () => {
    const tool = await openTool();
    const { thread_id } = await tool.run({ agent_id: 'approver', messages: [user('x')] });
    const chat = tool.begin(['chat', 'approver', '--thread', thread_id], terminal);
    await until(chat.stderr).toContain('why not');
    chat.say('y');
    await until(chat.stdout).toContain('natural');
    chat.interrupt();
    await chat.done;
  });

  it('with nobody to ask ends when it would have to: 9', async () => {
    const tool = await openTool();
    const { code, stderr } = await tool.begin(['chat', 'approver'], { stdin: 'pay\nmore\n' }).done;
    expect(code).toBe(9);
    expect(stderr).toContain('transfer_funds waits (approval)');
    expect((await tool.call('GET', '/v1/runs')).body).toMatchObject({ total: 1 });
  });

  it('ends as its last run: 8; of no agent: 3', async () => {
    const tool = await openTool();
    expect((await tool.begin(['chat', 'failing'], { stdin: 'x\n' }).done).code).toBe(8);
    expect((await tool.begin(['chat', 'nobody'], { stdin: 'x\n' }).done).code).toBe(3);
  });

  it('has the events as jsonl', async () => {
    const tool = await openTool();
    const { stdout } = await tool.begin(['chat', 'assistant', '-o', 'jsonl'], { stdin: 'x\n' }).done;
    expect(linesOf<{ type: string }>('RunEvent', stdout).at(-1)!.type).toBe('run_finish');
    expect((await tool.cli('chat', 'assistant', '-o', 'json')).code).toBe(2);
  });
});
