/**
 * The demo agents of a server that was started without a configuration (CONTRACT 10.5).
 *
 * Only their model is scripted; definitions, tools and permissions are the ordinary ones, so what they show is what a
 * configured agent does.
 */

import { z } from 'zod';
import { defineAgent } from './agent.js';
import { ClientTool, ScriptName, ServerTool } from './scripted/vocabulary.js';
import { delay } from './timer.js';
import { defineTool } from './tool.js';
import type { Agent } from './types.js';

/** Milliseconds `long_task` takes, whatever its number of steps. */
const TASK_MS = 1_000;

const transferFunds = defineTool({
  name: ServerTool.transfer,
  description: 'Transfers money. Every transfer is approved by a person first.',
  input: z.object({ amount: z.number().positive(), currency: z.string().length(3), to: z.string().min(1) }),
  effect: 'once',
  permission: 'ask',
  execute: ({ amount, currency, to }, { call_id }) => ({ status: 'sent', amount, currency, to, reference: call_id }),
});

const longTask = defineTool({
  name: ServerTool.task,
  description: 'Works for about a second and reports how far it is.',
  input: z.object({ title: z.string(), steps: z.int().min(1).max(100).default(5) }),
  effect: 'idempotent',
  async execute({ title, steps }, context) {
    for (let step = 1; step <= steps; step++) {
      await delay(TASK_MS / steps, context.signal);
      context.progress({ progress: step / steps, message: `${title}: step ${step} of ${steps}` });
    }
    return { title, steps, status: 'finished' };
  },
});

const lookUp = defineTool({
  name: ServerTool.lookup,
  description: 'Looks a topic up.',
  input: z.object({ topic: z.string() }),
  effect: 'readOnly',
  execute: ({ topic }) => ({ topic, length: topic.length }),
});

const saveNote = defineTool({
  name: ServerTool.note,
  description: 'Saves a note; saving it again changes nothing.',
  input: z.object({ text: z.string() }),
  effect: 'idempotent',
  execute: ({ text }) => ({ saved: true, text }),
});

const setBackground = defineTool({
  name: ClientTool.background,
  description: 'Sets the background colour of the page the user looks at.',
  input: z.object({ color: z.string() }),
  effect: 'idempotent',
});

const getLocation = defineTool({
  name: ClientTool.location,
  description: 'Asks the device of the user where it is.',
  input: z.object({}),
  effect: 'readOnly',
});

/** New definitions at each call; `model` is `scripted:<id>`. */
export function demoAgents(): Agent[] {
  const everything = [transferFunds, longTask, lookUp, saveNote, getLocation];
  return [
    demo(ScriptName.assistant, 'Answers, and does what the words in double brackets ask for.', everything),
    demo(ScriptName.approver, 'Wants to transfer money and asks first.', [transferFunds]),
    demo(ScriptName.worker, 'Works for a second and reports its progress.', [longTask]),
    demo(ScriptName.painter, 'Paints the background of the page in front of the user.', [setBackground]),
    demo(ScriptName.slow, 'Answers over about two seconds.'),
    demo(ScriptName.failing, 'Fails in the middle of its answer.'),
  ];
}

const demo = (id: ScriptName, description: string, tools: Agent['tools'] = []): Agent =>
  defineAgent({
    id,
    name: id[0]!.toUpperCase() + id.slice(1),
    description,
    model: `scripted:${id}`,
    system_prompt: 'You are a demo agent with a scripted model.',
    tools,
  });
