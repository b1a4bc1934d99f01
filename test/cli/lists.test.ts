/** Every list and record in every format, against its schema; filters and their exit codes (OPERATOR, Commands). */

import { describe, expect, it } from 'vitest';
import { asker, holder, openService, user } from '../support/service.js';
import { linesOf, openTool, run, type Tool, until } from './cli.js';

type List = { items: Record<string, string>[]; total: number | null; has_more: boolean };

/** Two runs that are done, one that waits for a person, one behind it. */
async function lively(): Promise<Tool & { thread: string; run_id: string }> {
  const tool = await openTool();
  await tool.run({ agent_id: 'assistant', messages: [user('hello')] });
  await tool.run({ agent_id: 'failing', messages: [user('hello')] });
  const { thread_id: thread, run_id } = await tool.run({ agent_id: 'approver', messages: [user('pay \u001b[31mred')] });
  await tool.start({ agent_id: 'assistant', thread_id: thread, on_busy: 'enqueue', messages: [user('next')] });
  return { ...tool, thread, run_id };
}

describe('lists', () => {
  it.each<[kind: string, number: number, id: RegExp, argv: (at: { thread: string; run_id: string }) => string[]]>([
    ['Run', 4, /^[\w-]+$/, () => ['runs', 'list']],
    ['Thread', 3, /^[\w-]+$/, () => ['threads', 'list']],
    ['Message', 2, /^[\w-]+$/, ({ thread }) => ['threads', 'messages', thread]],
    ['MailboxEntry', 2, /^[\w-]+\t[\w-]+$/, ({ thread }) => ['threads', 'mailbox', thread]],
    ['MailboxEntry', 2, /^[\w-]+\t[\w-]+$/, ({ thread }) => ['mailbox', 'list', '--thread', thread]],
    ['Approval', 1, /^[\w-]+\t\w+$/, () => ['approvals', 'list']],
    ['Agent', 6, /^\w+$/, () => ['agents', 'list']],
    ['RunEvent', 10, /^[\w-]+\t\d+$/, ({ run_id }) => ['runs', 'events', run_id]],
  ])('%s: every format says the same %i', async (kind, number, id, argvOf) => {
    const tool = await lively();
    const argv = argvOf(tool);
    const { items, total } = await tool.json<List>(...argv);
    expect(items).toHaveLength(number);
    expect(total).toBe(number);
    expect(linesOf(kind, (await tool.cli(...argv, '-o', 'jsonl')).stdout)).toEqual(items);
    const names = (await tool.cli(...argv, '-o', 'name')).stdout.trim().split('\n');
    expect(names).toHaveLength(number);
    for (const name of names) expect(name).toMatch(id);
    for (const format of ['table', 'wide']) {
      const { code, stdout, stderr } = await tool.cli(...argv, '-o', format);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trimEnd().split('\n')).toHaveLength(number + 1);
      expect(stdout).not.toContain('\u001b');
    }
  });

  it.each<[kind: string, argv: (at: { thread: string; run_id: string }) => string[]]>([
    ['Run', ({ run_id }) => ['runs', 'get', run_id]],
    ['ThreadDetail', ({ thread }) => ['threads', 'get', thread]],
    ['Agent', () => ['agents', 'get', 'worker']],
  ])('%s: one record in every format', async (kind, argvOf) => {
    const tool = await lively();
    const argv = argvOf(tool);
    const { item, ...rest } = await tool.json(...argv);
    expect(rest).toEqual({ v: 1, kind });
    expect(linesOf(kind, (await tool.cli(...argv, '-o', 'jsonl')).stdout)).toEqual([item]);
    expect((await tool.cli(...argv, '-o', 'name')).stdout.trim()).toBe(argv[2]);
    const { stdout } = await tool.cli(...argv);
    expect(stdout).toContain(argv[2]);
    expect(stdout).not.toContain('\u001b');
  });

  it.each([
    [['runs', 'get', 'nope'], 'run not found: nope'],
    [['runs', 'events', 'nope'], 'run not found: nope'],
    [['threads', 'get', 'nope'], 'thread not found: nope'],
    [['threads', 'messages', 'nope'], 'thread not found: nope'],
    [['threads', 'mailbox', 'nope'], 'thread not found: nope'],
    [['agents', 'get', 'nope'], 'agent not found: nope'],
  ])('%j is not found: 3', async (argv, message) => {
    const { cli } = await openTool();
    expect(await cli(...argv)).toEqual({ code: 3, stdout: '', stderr: `agent-server: ${message}\n` });
  });

  it('say on stderr that there is nothing', async () => {
    const { cli } = await openTool();
    expect(await cli('runs', 'list')).toEqual({ code: 0, stdout: '', stderr: 'nothing found\n' });
    expect((await cli('runs', 'list', '-o', 'name')).stdout).toBe('');
  });

  it('give no more than asked for, and say that there is more', async () => {
    const tool = await lively();
    const { items, total, has_more } = await tool.json<List>('runs', 'list', '--limit', '2');
    expect([items.length, total, has_more]).toEqual([2, 4, true]);
    const { stderr } = await tool.cli('runs', 'list', '--limit', '3');
    expect(stderr).toBe('3 of 4 shown; --limit N or --all for more\n');
    expect((await tool.cli('runs', 'list', '--limit', '0')).stderr).toContain('0 of 4 shown');
    expect((await tool.json<List>('runs', 'list', '--all')).items).toHaveLength(4);
  });

  it('page through all there is, also when they look themselves', async () => {
    const tool = await openTool();
    const { thread_id } = await tool.run({ agent_id: 'assistant', messages: [user('0')] });
    const words = Array.from({ length: 230 }, (_, i) => user(`word ${i}`));
    await tool.run({ agent_id: 'assistant', thread_id, messages: words });
    const all = await tool.json<{ items: { cursor: number }[] }>('threads', 'messages', thread_id, '--all');
    expect(all.items.map(({ cursor }) => cursor)).toEqual([...Array(233).keys()]);
    const newest = await tool.json<{ items: { cursor: number }[] }>('threads', 'messages', thread_id, '--limit', '2');
    expect(newest.items.map(({ cursor }) => cursor)).toEqual([231, 232]);
    const found = await tool.json<List>('threads', 'messages', thread_id, '-q', 'content~"word 3,"', '--all');
    expect(found.items).toEqual([]);
    const some = await tool.json<List>('threads', 'messages', thread_id, '-q', 'role=user content~"word 3"');
    expect(some.items).toHaveLength(11);
    const after = await tool.json<{ items: { cursor: number }[] }>('threads', 'messages', thread_id, '--after', '230');
    expect(after.items.map(({ cursor }) => cursor)).toEqual([231, 232]);
    const { run_id } = await tool.run({ agent_id: 'assistant', messages: [user('[[long 450]]')] });
    const { items } = await tool.json<List>('runs', 'events', run_id, '--all', '-q', 'type=text_delta');
    expect(items.length).toBeGreaterThan(400);
  });
});

describe('filters', () => {
  it.each([
    ['status=waiting', 2],
    ['status=waiting,done', 4],
    ['status=done code=error', 1],
    ['agent!=approver', 3],
    ['code=input_required agent=approver', 1],
    ['age>1h', 0],
    ['age<1h', 4],
    ['age<1h updated<1h agent=assistant', 2],
    ['detail~SCRIPTED', 1],
    ['tokens>0 status=done', 1],
  ])('-q %j means %i runs', async (filter, number) => {
    const tool = await lively();
    const { items, total } = await tool.json<List>('runs', 'list', '-q', filter);
    expect([items.length, total]).toEqual([number, number]);
  });

  it('are joined when there are several', async () => {
    const tool = await lively();
    expect((await tool.json<List>('runs', 'list', '-q', 'status=waiting', '-q', 'agent=assistant')).items).toHaveLength(
      1,
    );
  });

  it('that are wrong name what would be right: 2', async () => {
    const { cli } = await openTool();
    expect(await cli('runs', 'list', '-q', 'stauts=done')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('unknown key stauts; known are status, agent,') as string,
    });
    expect((await cli('runs', 'list', '-q', 'status=doen')).stderr).toContain('expected one of running, waiting, done');
  });
});

describe('a command line', () => {
  it.each([
    [['runs', 'lst'], /unknown command 'lst'\n\(Did you mean list\?\)/],
    [['runs', 'list', '--nope'], /unknown option '--nope'/],
    [['runs', 'get'], /missing required argument 'run'/],
    [['runs', 'list', '-o', 'yaml'], /Allowed choices are table, wide, json, jsonl, name/],
    [['runs', 'list', '--limit', 'x'], /--limit: expected a whole number, got x/],
    [['runs', 'list', '--timeout', 'soon'], /--timeout: expected a time such as/],
    [['runs', 'list', '--timeout', '30d'], /--timeout: at most 24d, got 30d/],
    [['runs', 'list', '--watch', '--interval', '600h'], /--interval: at most 24d/],
    [['mailbox', 'cancel', 't', '..', '-y'], /an id cannot be ".." here/],
    [['runs', 'list', '--watch', '-o', 'json'], /this goes on; use -o jsonl/],
    [['mailbox', 'priority', 't', 'e', '256'], /priority: expected a whole number up to 255/],
    [['runs', 'start', 'assistant', '--state', '[]'], /--state: expected a JSON object/],
    [['tail', '--no-follow'], /--no-follow goes with --since/],
    [['top'], /top needs a terminal/],
    [['top', '-o', 'json'], /top draws a screen/],
  ])('%j is wrong: 2', async (argv, message) => {
    const { cli } = await openTool();
    const { code, stdout, stderr } = await cli(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('asks for help: 0', async () => {
    const { code, stdout } = await run(['runs', 'list', '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/--order[\s\S]*Output:[\s\S]*Server:/);
  });

  it('meets nobody: 6', async () => {
    const { url } = await openService();
    const gone = new URL(url);
    gone.hostname = '127.0.0.2';
    const { code, stderr } = await run(['runs', 'list', '--server', gone.href]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/^agent-server: cannot reach http:\/\/127\.0\.0\.2:\d+: connection refused\n$/);
  });

  it('meets a server that wants a token: 5', async () => {
    const { parseTokens } = await import('../../src/http/tokens.js');
    const tool = await openTool({ http: { tokens: parseTokens('sesame\nreader runs\n') } });
    expect(await tool.cli('runs', 'list')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('--token') as string,
    });
    expect(await tool.cli('agents', 'list', '--token', 'reader')).toMatchObject({ code: 5 });
    expect(await tool.cli('runs', 'list', '--token', 'sesame')).toMatchObject({ code: 0 });
  });
});

describe('tables', () => {
  it('fit a terminal, in colour unless told otherwise', async () => {
    const tool = await lively();
    const look = async (env: Record<string, string>, ...more: string[]) =>
      (await tool.begin(['runs', 'list', ...more], { terminal: 60, env }).done).stdout;
    const plain = await look({ NO_COLOR: '1' });
    for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    expect(plain).toContain('…');
    expect(await look({ TERM: 'dumb' })).not.toMatch(/[^\n -~]/);
    expect(await look({ TERM: 'xterm' })).toContain('\u001b[');
    expect(await look({ NO_COLOR: '1' }, '--color')).toContain('\u001b[');
    expect(await look({ NO_COLOR: '1' }, '--ascii')).not.toContain('…');
  });

  it('never hand a control character of a text on', async () => {
    const tool = await lively();
    const { stdout } = await tool.begin(['threads', 'messages', tool.thread, '--color', 'never'], { terminal: 100 })
      .done;
    expect(stdout).toContain('pay ·[31mred');
  });

  it('nor do refusals and questions', async () => {
    const tool = await lively();
    const refused = await tool.cli('threads', 'get', 'y\u202ered');
    expect(refused).toMatchObject({ code: 3, stderr: 'agent-server: thread not found: y·red\n' });
    await tool.start({ agent_id: 'approver', thread_id: 'x\u202ered', messages: [user('pay')] });
    const asking = tool.begin(['threads', 'delete', 'x\u202ered'], { terminal: 100 });
    await until(asking.stderr).toContain('deletes 1 thread (x·red)');
    asking.say('n');
    expect(await asking.done).toMatchObject({ code: 2 });
  });
});

describe('--watch', () => {
  it('writes each record once, and again when it has changed; ctrl-c ends it: 130', async () => {
    const { agent, release } = holder();
    const tool = await openTool({ agents: [agent] });
    const { run_id } = await tool.start({ agent_id: 'holder', messages: [user('x')] });
    const watching = tool.begin(['runs', 'list', '-w', '--interval', '5ms', '-o', 'jsonl']);
    await until(watching.stdout).toContain('"running"');
    release();
    await until(watching.stdout).toContain('"done"');
    watching.interrupt();
    const { code, stdout } = await watching.done;
    expect(code).toBe(130);
    const records = linesOf<{ run_id: string }>('Run', stdout);
    expect(records.every((record) => record.run_id === run_id)).toBe(true);
    expect(new Set(stdout.trim().split('\n')).size).toBe(records.length);
  });

  it('draws over itself on a terminal, and ends with --timeout: 7', async () => {
    const tool = await openTool({ agents: [asker()] });
    await tool.run({ agent_id: 'asker', messages: [user('x')] });
    const argv = ['runs', 'list', '-w', '--interval', '5ms', '--timeout', '100ms'];
    const { code, stdout, stderr } = await tool.begin(argv, { terminal: 120 }).done;
    expect([code, stderr]).toEqual([7, 'agent-server: timed out: the command did not end within 0.1 s\n']);
    expect(stdout.split('\u001b[H').length).toBeGreaterThan(2);
  });

  it('never draws a row beyond the edge of the terminal: the next picture would not cover it', async () => {
    const tool = await openTool();
    await tool.run({ agent_id: 'assistant', messages: [user('x')] });
    const argv = ['runs', 'list', '-w', '-o', 'wide', '--color', 'never', '--timeout', '100ms'];
    const { stdout } = await tool.begin(argv, { terminal: 60 }).done;
    const rows = stdout.split('\u001b[K\n').map((row) => row.replace('\u001b[H', ''));
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.filter((row) => row.length > 60)).toEqual([]);
  });

  it('of one record ends when it is gone: 3', async () => {
    const tool = await openTool();
    const { thread_id } = await tool.run({ agent_id: 'assistant', messages: [user('x')] });
    const watching = tool.begin(['threads', 'get', thread_id, '-w', '--interval', '5ms', '-o', 'jsonl']);
    await until(watching.stdout).not.toBe('');
    await tool.call('DELETE', `/v1/threads/${thread_id}`);
    expect(await watching.done).toMatchObject({ code: 3 });
    expect(linesOf('ThreadDetail', watching.stdout())).toHaveLength(1);
  });
});
