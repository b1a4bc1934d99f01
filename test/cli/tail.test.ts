/** `tail`: all runs as they happen, with nothing missing (OPERATOR, Commands). */

import { describe, expect, it } from 'vitest';
import { user } from '../support/service.js';
import { linesOf, openTool, type Running, type Tool, until } from './cli.js';

type Event = { run_id: string; seq: number; type: string };

/** The log of a run is there whole, in order, each event once. */
function expectWhole(events: Event[], run: string): void {
  const seqs = events.filter(({ run_id }) => run_id === run).map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs.keys()]);
  expect(events.findLast(({ run_id }) => run_id === run)!.type).toBe('run_finish');
}

const eventsOf = (tail: Running): Event[] => linesOf<Event>('RunEvent', tail.stdout());
const ended = (tail: Running, run: string) => () => tail.stdout().includes(`{"type":"run_finish","run_id":"${run}"`);

/** The feed is open as soon as it tells of a run. */
async function beginTail(tool: Tool, ...argv: string[]): Promise<Running> {
  const tail = tool.begin(['tail', '-o', 'jsonl', ...argv]);
  await until(async () => {
    await tool.run({ agent_id: 'assistant', messages: [user('are you there?')] });
    return tail.stdout();
  }).not.toBe('');
  return tail;
}

describe('tail', () => {
  it('tells every event of every run, and ends with ctrl-c: 130', async () => {
    const tool = await openTool();
    const tail = await beginTail(tool);
    const runs = await Promise.all(
      ['assistant', 'failing', 'assistant'].map((agent_id) => tool.run({ agent_id, messages: [user('x')] })),
    );
    for (const { run_id } of runs) await until(ended(tail, run_id)).toBe(true);
    tail.interrupt();
    expect((await tail.done).code).toBe(130);
    for (const { run_id } of runs) expectWhole(eventsOf(tail), run_id);
  });

  it('--since begins in the past and goes on without a gap', async () => {
    const tool = await openTool();
    const { run_id: past } = await tool.run({ agent_id: 'assistant', messages: [user('x')] });
    const { run_id: open } = await tool.run({ agent_id: 'approver', messages: [user('x')] });
    const tail = tool.begin(['tail', '-o', 'jsonl', '--since', '10m']);
    await until(ended(tail, past)).toBe(true);
    const call = (await tool.cli('approvals', 'list', '-o', 'name')).stdout.trim().split('\t')[1]!;
    await tool.cli('decide', open, call, 'approve');
    await until(ended(tail, open)).toBe(true);
    tail.interrupt();
    await tail.done;
    expectWhole(eventsOf(tail), past);
    expectWhole(eventsOf(tail), open);
  });

  it('--no-follow leaves when the past is told, by time', async () => {
    const tool = await openTool();
    const runs = await Promise.all([1, 2].map(() => tool.run({ agent_id: 'assistant', messages: [user('x')] })));
    const { code, stdout } = await tool.cli('tail', '--since', '10m', '--no-follow', '-o', 'jsonl');
    expect(code).toBe(0);
    const events = linesOf<Event & { timestamp_ms: number }>('RunEvent', stdout);
    for (const { run_id } of runs) expectWhole(events, run_id);
    const times = events.map(({ timestamp_ms }) => timestamp_ms);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it.each([
    ['agent=failing', ['failing']],
    ['agent=failing,approver', ['failing', 'approver']],
    ['type=run_start', ['assistant', 'failing', 'approver']],
    ['type=tool_call_ready tool=transfer_funds', ['approver']],
  ])('-q %j', async (filter, agents) => {
    const tool = await openTool();
    const ids = new Map<string, string>();
    for (const agent_id of ['assistant', 'failing', 'approver']) {
      ids.set((await tool.run({ agent_id, messages: [user('x')] })).run_id, agent_id);
    }
    const { stdout } = await tool.cli('tail', '--since', '10m', '--no-follow', '-q', filter, '-o', 'jsonl');
    const told = linesOf<Event>('RunEvent', stdout).map(({ run_id }) => ids.get(run_id));
    expect([...new Set(told)]).toEqual(agents);
  });

  it('gives people a line for each thing, with its run; text in whole lines', async () => {
    const tool = await openTool();
    const { run_id } = await tool.run({ agent_id: 'assistant', messages: [user('[[tools 1]] hello')] });
    const { stdout } = await tool.cli('tail', '--since', '10m', '--no-follow');
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}\S{8} {2}assistant {2}\S/);
    expect(lines.every((line) => line.includes(run_id.slice(-8)))).toBe(true);
    const told = lines.map((line) => line.slice(35));
    expect(told[1]).toBe('→ look_up {"topic":"hello"}');
    expect(told).toContainEqual(expect.stringMatching(/^You said: "hello"\. This is .{30,}/));
    expect(told.at(-1)).toMatch(/^■ natural/);
  });
});
