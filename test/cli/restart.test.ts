/** Commands that follow, across the death of the server: nothing missing, nothing twice (CONTRACT 1.6). */

import { expect, it } from 'vitest';
import { startServer } from '../support/server-process.js';
import { tempDir } from '../support/temp-dir.js';
import { begin, linesOf, until } from './cli.js';

type Event = { run_id: string; seq: number; type: string };

it('runs start and tail go on where the server was killed; --watch waits for it', async () => {
  const data = await tempDir();
  const first = await startServer({ data });
  const env = { AGENT_SERVER_URL: first.url };
  const tail = begin(['tail', '--since', '1m', '-o', 'jsonl'], { env });
  const list = begin(['runs', 'list', '-w', '--interval', '20ms', '-o', 'jsonl'], { env });
  const run = begin(['runs', 'start', 'slow', 'take', 'your', 'time', '-o', 'jsonl'], { env });
  for (const { stdout } of [tail, run]) await until(stdout).toContain('text_delta');
  await until(list.stdout).toContain('"running"');
  await first.kill();
  for (const { stderr } of [tail, run, list]) await until(stderr).toContain('trying again');

  await startServer({ data, args: ['--port', new URL(first.url).port] });
  const { code, stdout } = await run.done;
  expect(code).toBe(0);
  const events = linesOf<Event>('RunEvent', stdout);
  expect(events.map(({ seq }) => seq)).toEqual([...events.keys()]);
  expect(events.map(({ type }) => type)).toContain('inference_retry');

  await until(tail.stdout).toContain('run_finish');
  await until(list.stdout).toContain('"natural"');
  for (const command of [tail, list]) {
    expect(command.stderr()).toContain('connected again');
    command.interrupt();
    expect((await command.done).code).toBe(130);
  }
  expect(linesOf('RunEvent', tail.stdout())).toEqual(events);
});
