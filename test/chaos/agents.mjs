/**
 * The agents of the tests that kill, stop and flood the server. Their model is the scripted one and their tools do
 * nothing but take time; what is particular is that both can be watched from outside the process: every question to the
 * model and every execution of a tool is a line of the file that CHAOS_LEDGER names.
 *
 *   ask   <boot> <run> <messages of the prompt>
 *   start <boot> <run> <call> <effect>
 *   end   <boot> <run> <call> <effect>
 *
 * A line is one write to a file opened for appending: what a tool has written is kept when the process is killed, as the
 * page cache is the system's. (A power cut is another matter, and not what these tests do.)
 *
 * Users name their run at the end of what they say: "… from <run>".
 */

import { openSync, writeSync } from 'node:fs';
import { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import { finish, toolCall } from '../../dist/agents/scripted/parts.js';
import { scriptByName } from '../../dist/agents/scripted/scripts.js';
import { defineAgent, defineTool } from '../../dist/index.js';

const ledger = openSync(process.env.CHAOS_LEDGER, 'a');
const boot = process.env.CHAOS_BOOT;
const note = (kind, ...words) => writeSync(ledger, `${[kind, boot, ...words].join(' ')}\n`);

/** Up to `most` milliseconds, always the same for one call. */
function duration(text, most) {
  let hash = 2166136261;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619) >>> 0;
  return hash % (most + 1);
}

/** `work` gets the tool's input and context; the lines are written around it. */
const observed = (name, effect, most, work = async () => {}) =>
  defineTool({
    name,
    description: `Takes up to ${most} ms.`,
    input: { type: 'object' },
    effect,
    async execute(input, context) {
      note('start', context.run_id, context.call_id, effect);
      await work(input, context);
      const ms = duration(context.run_id + context.call_id, most);
      if (ms > 0) await delay(ms, undefined, { signal: context.signal });
      note('end', context.run_id, context.call_id, effect);
      return { call: context.call_id };
    },
  });

const tools = [
  observed('transfer_funds', 'once', 120),
  observed('look_up', 'readOnly', 60),
  observed('save_note', 'idempotent', 90),
  observed('long_task', 'idempotent', 20, async ({ steps }, context) => {
    for (let step = 1; step <= steps; step++) {
      await delay(40, undefined, { signal: context.signal });
      context.progress({ progress: step / steps, message: `step ${step} of ${steps}` });
    }
  }),
  /** Takes no notice of being stopped. With reports it ends in the middle of them, so that its outcome meets a commit. */
  observed('send_letter', 'once', 0, async ({ ms, reports }, context) => {
    await delay(ms);
    for (let i = 1; i <= reports; i++) {
      context.progress({ progress: i / reports });
      await delay(1);
    }
  }),
];

function runOf(prompt) {
  const question = prompt.findLast((message) => message.role === 'user');
  const text = question.content.map((part) => part.text ?? '').join('');
  return / from (\S+)$/.exec(text)[1];
}

const asked = (model) => ({
  ...model,
  doStream(options) {
    note('ask', runOf(options.prompt), options.prompt.length);
    return model.doStream(options);
  },
});

/** Understands the bracket words: [[approval]] is a `once` tool that nobody is asked about here. */
const assistant = scriptByName('assistant');

/** Rounds of a `once` and an `idempotent` call before it speaks: as many as the user says, or three. */
const looper = {
  ...assistant,
  async doStream(options) {
    const answers = options.prompt.slice(options.prompt.findLastIndex((message) => message.role === 'user'));
    const rounds = Number(/(\d+) rounds/.exec(answers[0].content[0].text)?.[1] ?? 3);
    const round = answers.filter((message) => message.role === 'assistant').length;
    if (round >= rounds) return assistant.doStream(options);
    const id = (n) => `round_${options.prompt.length}_${n}`;
    const parts = [...toolCall(id(0), 'transfer_funds'), ...toolCall(id(1), 'save_note'), finish('tool-calls')];
    return { stream: ReadableStream.from(parts) };
  },
};

/** One letter that takes as long as the user says in figures, with reports unless it is to be sent quietly; then speech. */
const writer = {
  ...assistant,
  async doStream(options) {
    const question = options.prompt.findLast((message) => message.role === 'user').content[0].text;
    if (options.prompt.at(-1).role === 'tool') return assistant.doStream(options);
    const letter = { ms: Number(/\d+/.exec(question)[0]), reports: question.includes('quietly') ? 0 : 100 };
    const parts = [...toolCall('letter', 'send_letter', letter), finish('tool-calls')];
    return { stream: ReadableStream.from(parts) };
  },
};

export default {
  agents: [
    defineAgent({ id: 'assistant', model: asked(assistant), tools }),
    defineAgent({ id: 'looper', model: asked(looper), tools, max_rounds: 50 }),
    defineAgent({ id: 'writer', model: asked(writer), tools }),
  ],
};
