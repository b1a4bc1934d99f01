/** What only real processes show: signals, pipes, start-up, scripts (OPERATOR, Commands). */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asker, user } from '../support/service.js';
import { startServer } from '../support/server-process.js';
import { tempDir } from '../support/temp-dir.js';
import { fits, openTool, run, spawnShell, spawnTool, until } from './cli.js';

/** Writes the URL of every module that is imported to stderr. */
const TELL_IMPORTS = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    import { writeSync } from 'node:fs';
    export async function resolve(name, context, next) {
      const found = await next(name, context);
      writeSync(2, 'import ' + found.url + '\\\\n');
      return found;
    }\`));
`)}`;

describe('a process', () => {
  it.each([
    [['runs', 'list'], 0],
    [['top'], 2],
  ])('of %j loads nothing that serves, draws or validates', async (argv, expected) => {
    const tool = await openTool();
    const { code, stderr } = await spawnTool(argv, { ...tool.env, NODE_OPTIONS: `--import=${TELL_IMPORTS}` }).done;
    expect(code).toBe(expected);
    const loaded = stderr.split('\n').filter((line) => line.startsWith('import '));
    expect(loaded.some((line) => line.includes('/dist/bin/agent-server.js'))).toBe(true);
    const heavy =
      /\/node_modules\/(koa|xstate|classic-level|ink|react|zod|pino|@ai-sdk)\/|\/dist\/(http|actors|agents|store)\//;
    expect(loaded.filter((line) => heavy.test(line))).toEqual([]);
    // Ink is in the file of what draws with it.
    const drawing = (await readdir(new URL('../../dist/bin', import.meta.url))).filter((name) =>
      /^app-.*js$/.test(name),
    );
    expect(drawing).toHaveLength(1);
    expect(loaded.filter((line) => line.includes(drawing[0]!))).toEqual([]);
  });

  it('ends with 130 on ctrl-c, and the run goes on', async () => {
    const tool = await openTool({ agents: [asker()] });
    const { run_id } = await tool.run({ agent_id: 'asker', messages: [user('x')] });
    const { child, done, stdout } = spawnTool(['runs', 'watch', run_id, '-o', 'jsonl'], tool.env);
    await until(stdout).toContain('run_waiting');
    child.kill('SIGINT');
    const { code, signal, stderr } = await done;
    expect({ code, signal }).toEqual({ code: 130, signal: null });
    expect(stderr).toBe(`the run goes on: agent-server runs watch ${run_id}\nagent-server: interrupted\n`);
  });

  it('ends quietly when its reader goes away', async () => {
    const tool = await openTool();
    const { run_id } = await tool.run({ agent_id: 'assistant', messages: [user('[[long 20000]]')] });
    const script = `agent-server runs events ${run_id} --all -o jsonl | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await spawnShell(script, tool.env).done;
    expect(stdout.split('\n').slice(1)).toEqual(['0', '']);
    expect(stderr).toBe('');
  });

  it('hands on what it has to say before it ends', async () => {
    const tool = await openTool();
    const { code, stdout, stderr } = await spawnTool(['runs', 'start', 'failing', 'x', '-o', 'json'], tool.env).done;
    expect([code, stderr]).toEqual([8, '']);
    fits(stdout);
  });

  it('asks nothing without a terminal: 2', async () => {
    const tool = await openTool();
    const { run_id } = await tool.run({ agent_id: 'approver', messages: [user('x')] });
    const { code, stderr } = await spawnTool(['runs', 'cancel', run_id], tool.env).done;
    expect(code).toBe(2);
    const again = await spawnShell(stderr.trimEnd().split('\n').at(-1)!, tool.env).done;
    expect(again).toMatchObject({ code: 0, stdout: `run ${run_id} is being cancelled\n` });
  });
});

describe('a script', () => {
  it('approves every pending call that matches a filter (docs/operator.md)', async () => {
    const docs = await readFile(new URL('../../docs/operator.md', import.meta.url), 'utf8');
    const script = /<!-- tested: approve-all -->\s*```sh\n([\s\S]*?)```/.exec(docs)![1]!;
    const tool = await openTool();
    const pay = await Promise.all([1, 2, 3].map(() => tool.run({ agent_id: 'approver', messages: [user('x')] })));
    const { run_id: paint } = await tool.run({ agent_id: 'painter', messages: [user('x')] });
    const { code, stdout, stderr } = await spawnShell(script, tool.env).done;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.match(/ is approved$/gm)).toHaveLength(3);
    for (const { run_id } of pay) {
      expect((await tool.cli('runs', 'watch', run_id, '--exit-status')).code).toBe(0);
    }
    expect((await tool.cli('runs', 'watch', paint, '--exit-status')).code).toBe(9);
  });
});

describe('a server of its own', () => {
  it('is audited, backed up, and its data are sound', async () => {
    const data = await tempDir();
    const cwd = await tempDir();
    await writeFile(
      join(cwd, 'agent-server.config.json'),
      JSON.stringify({
        server: { backup_dir: cwd },
        agents: [{ id: 'a', name: 'A', description: '', model: 'scripted:approver' }],
      }),
    );
    const server = await startServer({ data, cwd });
    const cli = (...argv: string[]) => run(argv, { env: { AGENT_SERVER_URL: server.url } });
    await cli('runs', 'start', 'a', 'x', '--thread', 't');
    expect((await cli('threads', 'interrupt', 't', '-y', '--reason', 'no longer – wanted')).code).toBe(0);
    const audit = fits((await cli('audit', 'list', '-q', 'thread=t action=interrupt', '-o', 'json')).stdout);
    expect(audit.items).toMatchObject([{ target: { thread_id: 't' }, reason: 'no longer – wanted', status: 202 }]);
    expect(fits((await cli('mailbox', 'list', '-o', 'json')).stdout).items).toEqual([]);
    fits((await cli('backup', 'copy', '-o', 'json')).stdout);
    expect((await cli('doctor', '--data', data)).code).toBe(2);
    await server.stop();
    for (const dir of [data, join(cwd, 'copy')]) {
      const { code, stdout } = await cli('doctor', '--data', dir);
      expect([code, fits(stdout).item]).toMatchObject([0, { ok: true, faults: [] }]);
    }
    expect((await cli('doctor', '--data', join(cwd, 'nowhere'))).code).toBe(2);
  });
});
