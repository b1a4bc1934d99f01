/** A real server on a real socket over a directory of its own, with the demo agents and some that wait for the test. */

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { demoAgents } from '../../src/agents/demo.js';
import { finish, reasoning, say, text, toolCall, type Part } from '../../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../../src/agents/scripted/model.js';
import { readTurn } from '../../src/agents/scripted/turn.js';
import { InferenceError } from '../../src/agents/model-call.js';
import { createServer, defineAgent, defineTool, type Agent, type HttpServer, type Tool } from '../../src/index.js';
import { tempDir } from '../support/temp-dir.js';

/** Something that happens when the test says so. */
export class Gate {
  open!: () => void;
  readonly passed = new Promise<void>((resolve) => (this.open = resolve));
}

export type TestServer = {
  url: string;
  server: HttpServer;
  /** Opened by the test; see the agents. */
  gate: Gate;
  /** How often a tool ran, by name. */
  ran: Map<string, number>;
  /** What the models were told, the newest last. */
  prompts: unknown[];
};

/**
 * The demo agents, and:
 * - `gated`: says "one", and " two", " three" when the gate is open;
 * - `mute`: fails before its first word once, then says "there";
 * - `flaky`: loses its first answer in the middle, after thoughts, text and two calls; the second is whole;
 * - `clerk`: calls the tools the user names (`pay`, `refund`: ask first; `look`; `paint`: the client's; `guess`: asks a
 *   question; `wait`: asks first and then waits for the gate; `stall`: asks first and is then given up on;
 *   `forbidden`), then says what they gave;
 * - `careful`: the same, but nothing is done before everything was answered;
 * - `router`: hands its run over to `gated`;
 * - `chief`: delegates to `clerk`, whatever the user says;
 * - `tireless`: calls a tool as long as it may; it may twice.
 */
export async function openServer({ data }: { data?: string } = {}): Promise<TestServer> {
  const gate = new Gate();
  const ran = new Map<string, number>();
  const prompts: unknown[] = [];
  const agents = [...demoAgents(), ...testAgents({ gate, ran, prompts })];
  const server = createServer({ agents, data: data ?? (await tempDir()), limits: { retry_ms: 1 } });
  onTestFinished(() => server.close());
  return { server, gate, ran, prompts, url: await server.listen() };
}

type Props = Pick<TestServer, 'gate' | 'ran' | 'prompts'>;

function testAgents({ gate, ran, prompts }: Props): Agent[] {
  const agent = (id: string, script: Script, more: object = {}): Agent =>
    defineAgent({
      id,
      model: scriptedModel((options) => {
        prompts.push(options.prompt);
        return script(options);
      }),
      ...more,
    });

  let lost = false;
  function* flaky(): Generator<Part> {
    if (lost) {
      yield* say('whole');
      return;
    }
    lost = true;
    yield* reasoning(['hm']);
    yield* text(['half']);
    yield* toolCall('void', 'look', { topic: 'x' });
    yield { type: 'tool-input-start', id: 'never', toolName: 'look' };
    yield { type: 'error', error: new InferenceError('lost the line', true) };
  }
  let muted = false;
  function* mute(): Generator<Part> {
    if (muted) yield* say('there');
    else yield { type: 'error', error: new InferenceError('lost my voice', false) };
    muted = true;
  }
  async function* gated(): AsyncGenerator<Part> {
    yield* text(['one']);
    await gate.passed;
    yield* text([' two', ' three'], 'more');
    yield finish();
  }

  /** A tool that says what it did, unless told otherwise. */
  const tool = (
    name: string,
    more: Partial<Pick<Tool, 'permission' | 'effect' | 'timeout_ms' | 'execute'>> = {},
  ): Tool => ({
    ...defineTool({ name, description: name, input: z.object({ topic: z.string().optional() }) }),
    execute: (input) => {
      ran.set(name, (ran.get(name) ?? 0) + 1);
      return { did: name, ...(input as { topic?: string }) };
    },
    ...more,
  });
  const passed = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      void gate.passed.then(resolve);
    });
  const paint = tool('paint');
  delete paint.execute;
  const clerkTools = [
    tool('pay', { permission: 'ask' }),
    tool('refund', { permission: 'ask' }),
    tool('look'),
    tool('forbidden', { permission: 'deny' }),
    paint,
    tool('guess', {
      execute: (_, context) => context.suspend({ message: 'which one?', response_schema: { type: 'string' } }),
    }),
    tool('stall', { permission: 'ask', timeout_ms: 1, execute: () => gate.passed.then(() => null) }),
    tool('wait', {
      permission: 'ask',
      effect: 'idempotent',
      execute: (_, { signal }) => passed(signal).then(() => 'waited'),
    }),
  ];
  const clerk: Script = function* ({ prompt, tools = [] }) {
    const { question, results } = readTurn(prompt);
    const names = question.split(/\W+/).filter((word) => tools.some(({ name }) => name === word));
    if (results.length > 0)
      yield* say(results.map((r) => `${r.name}${r.failed ? ' failed' : ''}: ${r.text}`).join('; '));
    else if (names.length === 0) yield* say(`you said ${question}`);
    else {
      yield* text(['let me see']);
      for (const [i, name] of names.entries()) yield* toolCall(`${name}_${prompt.length}_${i}`, name, { topic: 't' });
      yield finish('tool-calls');
    }
  };
  const chief: Script = function* ({ prompt }) {
    const { question, results } = readTurn(prompt);
    if (results.length > 0) yield* say(`the clerk says: ${results[0]!.text}`);
    else {
      yield* toolCall(`delegate_${prompt.length}`, 'agent_run', { agent_id: 'clerk', prompt: question });
      yield finish('tool-calls');
    }
  };
  function* handOver(): Generator<Part> {
    yield* toolCall('over', 'agent_handoff', { agent_id: 'gated' });
    yield finish('tool-calls');
  }
  const tireless: Script = function* ({ prompt }) {
    yield* toolCall(`call_${prompt.length}`, 'look', {});
    yield finish('tool-calls');
  };
  return [
    agent('gated', gated),
    agent('mute', mute),
    agent('flaky', flaky, { tools: clerkTools }),
    agent('clerk', clerk, { tools: clerkTools }),
    agent('careful', clerk, { tools: clerkTools, tool_execution_mode: 'parallel_batch_approval' }),
    agent('router', handOver, { delegates: ['gated'] }),
    agent('chief', chief, { delegates: ['clerk'] }),
    agent('tireless', tireless, { tools: clerkTools, max_rounds: 2 }),
  ];
}
