/** One run of each kind that a log can tell of, made by the engine itself. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineAgent } from '../../src/agents/agent.js';
import { scriptedModel } from '../../src/agents/scripted/model.js';
import { finish, reasoning, say, text, toolCall, type Part } from '../../src/agents/scripted/parts.js';
import { defineTool } from '../../src/agents/tool.js';
import type { Agent } from '../../src/agents/types.js';
import { InferenceError } from '../../src/agents/model-call.js';
import { MemoryStore } from '../../src/store/memory.js';
import type { RunRecord } from '../../src/actors/index.js';
import { bench, type Bench } from '../support/engine.js';

export const KINDS = ['plain', 'tools', 'approval', 'retry', 'reasoning', 'cancelled'] as const;
export type Kind = (typeof KINDS)[number];

const tools = ['look', 'pay'].map((name) =>
  defineTool({
    name,
    description: name,
    input: { type: 'object' },
    ...(name === 'pay' ? { permission: 'ask' as const } : {}),
    execute(_, { progress }) {
      progress({ progress: 0.5, message: 'half way 😀' });
      return { [name]: 'done' };
    },
  }),
);

/** Parts that come one by one, so that they are more than one commit. */
async function* slowly(parts: Iterable<Part>): AsyncGenerator<Part> {
  for (const part of parts) {
    await nextTurn();
    yield part;
  }
}

const agentOf = (kind: Kind): Agent => {
  let calls = 0;
  return defineAgent({
    id: kind,
    tools,
    model: scriptedModel(async function* () {
      calls += 1;
      if (kind === 'reasoning') yield* slowly(reasoning(['Hm, ', 'well: ', '½.']));
      if (kind === 'retry' && calls === 1) {
        yield* slowly(text(['This will ', 'not do'], 'void'));
        throw new InferenceError('overloaded', true);
      }
      if (kind === 'cancelled') {
        yield* slowly(text(['One ', 'moment']));
        await new Promise(() => {});
      }
      if (kind === 'tools' && calls === 1) {
        yield* slowly([
          ...text(['I look ', 'twice.']),
          ...toolCall('c1', 'look', { at: 'é' }),
          ...toolCall('c2', 'look'),
        ]);
        yield finish('tool-calls');
      } else if (kind === 'approval' && calls === 1) {
        yield* slowly([...toolCall('c1', 'pay', { eur: 5 }), finish('tool-calls')]);
      } else yield* slowly(say('Well ', '"said"', '\n', '👩‍🚀', '.'));
    }),
  });
};

/** Runs it to its end. The engine is closed; what it wrote is on the disk of the store. */
export async function endedRun(kind: Kind, thread_id = 't'): Promise<{ store: MemoryStore; run: RunRecord }> {
  const b = await bench([agentOf(kind)], { limits: { retry_ms: 1 } });
  const { run_id } = await b.start(kind, `a run that is ${kind}`, { thread_id });
  if (kind === 'cancelled') await untilText(b, run_id);
  if (kind === 'cancelled') await b.engine.deliver({ type: 'cancel', run_id });
  if ((await b.settle(run_id)).status !== 'done') {
    await b.decide(run_id, 'c1');
    await b.events(run_id);
  }
  const run = await b.run(run_id);
  await b.engine.close(0);
  return { store: new MemoryStore(b.store.disk), run };
}

async function untilText(b: Bench, run_id: string): Promise<void> {
  await b.events(run_id, ({ type, data }) => type === 'text_delta' && data.delta === 'moment');
}
