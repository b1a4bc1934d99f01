import { describe, expect, it } from 'vitest';
import { FakeEngine, say, type Said } from '../../../test/support/fake-engine.js';
import { openHttp } from '../../../test/support/http-server.js';
import { collectSse } from '../../../test/support/sse-client.js';
import type { HostedEngine } from '../../actors/engine.js';
import type { JsonObject } from '../../json.js';
import { demoAgents } from '../../agents/demo.js';
import { createAgentRegistry } from '../../agents/registry.js';

const step: Said = ['step_start', { message_id: 'm' }];
const stepEnd: Said = ['step_end', { finish_reason: 'tool-calls' }];
const done: Said = ['tool_call_done', { id: 'c', name: 'x', message_id: 'x', outcome: 'succeeded', result: 1 }];
const noted = (n: number): Said => ['state_delta', { delta: [{ op: 'add', path: '/n', value: n }] }];
const stored = (id: string) => ({ cursor: 0, id, role: 'user', content: id, run_id: null, step: null, created_at: 0 });

/** An active run `r` on thread `t` of which the test says more while the thread is read. */
async function joining(meanwhile: (engine: FakeEngine, reads: number) => void) {
  const engine = new FakeEngine();
  engine.script = () => [say.start(), step, stepEnd];
  let reads = 0;
  const own = engine.read as (ref: object) => Promise<unknown>;
  const answers: Record<string, () => unknown> = {
    thread: () => ({ thread_id: 't', status: 'running', active_run_id: 'r' }),
    messages: () => ['u', 'm', 'x'].map(stored),
    state: (): JsonObject => {
      meanwhile(engine, ++reads);
      return { n: reads };
    },
  };
  engine.read = (async (ref: { kind: string }): Promise<unknown> =>
    answers[ref.kind]?.() ?? own(ref)) as HostedEngine['read'];
  const start = { agent_id: 'assistant', run_id: 'r', thread_id: 't', origin: 'ag_ui' as const, messages: [] };
  await engine.deliver({ type: 'start', start: { ...start, on_busy: 'enqueue' } });
  const { url } = await openHttp({ agents: createAgentRegistry(demoAgents()) }, engine);
  const response = await fetch(`${url}/v1/ag-ui/agents/assistant/threads/t/stream`);
  if ((await engine.read({ kind: 'run', run_id: 'r' }))!.status !== 'done') engine.append('r', say.finish());
  const frames = await collectSse(response);
  return { reads, events: frames.map(({ data }) => JSON.parse(data) as { type: string; [key: string]: unknown }) };
}

const typesOf = (events: { type: string }[]): string[] => events.map(({ type }) => type);
const idsIn = (event: unknown): string[] => (event as { messages: { id: string }[] }).messages.map(({ id }) => id);

describe('joining a run while the thread is read', () => {
  it('a result that comes meanwhile is told from the log alone', async () => {
    const { events } = await joining((engine, reads) => reads === 1 && engine.append('r', done));
    expect(idsIn(events[1])).toEqual(['u']);
    expect(typesOf(events).slice(2)).toEqual([
      'STATE_SNAPSHOT',
      'STEP_STARTED',
      'STEP_FINISHED',
      'TOOL_CALL_RESULT',
      'RUN_FINISHED',
    ]);
  });

  it('a change of the state meanwhile makes it read again: no change is told twice', async () => {
    const { events, reads } = await joining((engine, read) => read === 1 && engine.append('r', done, noted(2)));
    expect(reads).toBe(2);
    expect(idsIn(events[1])).toEqual(['u', 'm', 'x']);
    expect(typesOf(events)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'STATE_SNAPSHOT', 'RUN_FINISHED']);
    expect(events[2]).toMatchObject({ snapshot: { n: 2 } });
  });

  it('a state that never rests is left out', async () => {
    const { events, reads } = await joining((engine, read) => engine.append('r', noted(read)));
    expect(reads).toBe(3);
    expect(typesOf(events)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'STATE_DELTA', 'RUN_FINISHED']);
  });

  it('a run that ends meanwhile is told to its end', async () => {
    const { events } = await joining((engine) => engine.append('r', done, say.finish()));
    expect(idsIn(events[1])).toEqual(['u']);
    expect(typesOf(events).slice(-2)).toEqual(['TOOL_CALL_RESULT', 'RUN_FINISHED']);
  });
});
