/** A real server on a real socket, with agents whose models wait for the test. Closed when the test is over. */

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { demoAgents } from '../../src/agents/demo.js';
import { finish, reasoning, say, text, toolCall, type Part } from '../../src/agents/scripted/parts.js';
import { scriptedModel, type Script } from '../../src/agents/scripted/model.js';
import { readTurn } from '../../src/agents/scripted/turn.js';
import { InferenceError } from '../../src/agents/model-call.js';
import { createServer, defineAgent, defineTool, type ServerOptions } from '../../src/index.js';
import type { HttpServer } from '../../src/http/server.js';
import type { JsonObject } from '../../src/json.js';

/** Something that happens when the test says so. */
export type Gate = { passed: Promise<void>; open(): void };
export function newGate(): Gate {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

export type TestServer = { url: string; server: HttpServer; gate: Gate; prompts: unknown[][] };

/**
 * - the demo agents;
 * - `gated`: says "one", and the rest when the gate is open;
 * - `flaky`: loses its first answer in the middle, after text, thoughts and a call; the second is whole;
 * - `curious`: its tool asks a question; `noting`: its tool changes the thread's state; `counting`: the same, twice;
 * - `busy`: one tool waits for the gate, the other one for a person; `careful`: its tool waits for both;
 * - `router`: hands its run over to `gated`;
 * - `two`: two calls that a person is asked about;
 * - `spy`: what its model is told is kept in `prompts`.
 */
export async function openServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const gate = newGate();
  const prompts: unknown[][] = [];
  const agents = [...demoAgents(), ...testAgents(gate, prompts)];
  const server = createServer({ agents, data: null, limits: { retry_ms: 1 }, ...options });
  onTestFinished(() => server.close());
  return { server, gate, prompts, url: await server.listen() };
}

function testAgents(gate: Gate, prompts: unknown[][]) {
  const agent = (id: string, script: Script, tools: ReturnType<typeof defineTool>[] = []) =>
    defineAgent({ id, model: scriptedModel(script), tools });
  let lost = false;

  async function* gated(): AsyncGenerator<Part> {
    yield* text(['one']);
    await gate.passed;
    yield* text([' two', ' three']);
    yield finish();
  }
  function* flaky(): Generator<Part> {
    const again = lost;
    lost = true;
    if (again) yield* say('whole');
    else yield* breakOff();
  }
  function* breakOff(): Generator<Part> {
    yield* reasoning(['hm']);
    yield* text(['half']);
    yield { type: 'tool-input-start', id: 'void', toolName: 'none' };
    yield { type: 'error', error: new InferenceError('lost the line', true) };
  }
  const calling = (...calls: [id: string, name: string][]): Script =>
    function* ({ prompt }) {
      const { results, question } = readTurn(prompt);
      if (results.length > 0) {
        yield* say(results.map(({ name, text: said }) => `${name}: ${said}`).join(', '));
      } else {
        for (const [id, name] of calls) yield* toolCall(`${id}_${question}`, name, {});
        yield finish('tool-calls');
      }
    };
  function* handOver(): Generator<Part> {
    yield* toolCall('over', 'agent_handoff', { agent_id: 'gated' });
    yield finish('tool-calls');
  }
  const input = z.object({});
  const ask = defineTool({
    name: 'ask',
    description: 'A tool of this test.',
    input,
    effect: 'readOnly',
    execute: (_, context) => context.suspend({ message: 'which?', response_schema: { type: 'string' } }),
  });
  const note = defineTool({
    name: 'note',
    description: 'A tool of this test.',
    input,
    effect: 'idempotent',
    execute: async (_, { state }) => state.merge({ noted: true }),
  });
  const count = defineTool({
    name: 'count',
    description: 'A tool of this test.',
    input,
    effect: 'idempotent',
    execute: async (_, { state }) => {
      const times = Number((state.get().counted as JsonObject | undefined)?.times ?? 0) + 1;
      await state.merge({ counted: { times } });
      return state.merge({ counted: { twice: 2 * times } });
    },
  });
  const hold = defineTool({
    name: 'hold',
    description: 'A tool of this test.',
    input,
    effect: 'idempotent',
    execute: () => gate.passed.then(() => 'held'),
  });
  const pay = defineTool({
    name: 'pay',
    description: 'A tool of this test.',
    input,
    effect: 'once',
    permission: 'ask',
    execute: () => 'paid',
  });
  const wire = defineTool({
    name: 'wire',
    description: 'A tool of this test.',
    input,
    effect: 'once',
    permission: 'ask',
    execute: () => gate.passed.then(() => 'wired'),
  });
  const router = defineAgent({
    id: 'router',
    model: scriptedModel(handOver),
    delegates: ['gated'],
  });
  return [
    router,
    agent('careful', calling(['w', 'wire']), [wire]),
    agent('gated', gated),
    agent('flaky', flaky),
    agent('curious', calling(['q', 'ask']), [ask]),
    agent('noting', calling(['n', 'note']), [note]),
    agent('counting', calling(['c', 'count']), [count]),
    agent('busy', calling(['h', 'hold'], ['p', 'pay']), [hold, pay]),
    agent('two', calling(['a', 'pay'], ['b', 'pay']), [pay]),
    agent('spy', ({ prompt, tools = [], temperature }) => {
      prompts.push([prompt, tools.map(({ name }) => name), temperature]);
      return say('seen');
    }),
  ];
}
