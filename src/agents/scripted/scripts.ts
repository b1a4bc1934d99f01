/**
 * The scripts of the demo agents (CONTRACT 10.5).
 *
 * A script is a function of the call alone: the last user message decides, and tool results after it mean that the tool
 * round is over and it is time to speak. So an answer is the same after a crash, a retry or a restart.
 */

import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import { InferenceError } from '../model-call.js';
import { scriptedModel, type Script } from './model.js';
import { finish, text, toolCall, type Part } from './parts.js';
import { sample } from './sample.js';
import { inDeltas, over } from './speech.js';
import { countTokens, promptTokens, readTurn, type Turn } from './turn.js';
import { ClientTool, ScriptName, ServerTool } from './vocabulary.js';
import { parseWords, type Words } from './words.js';

/** Deltas of a plain answer. */
const DELTAS = 20;
const SLOW_MS = 2_000;

type Call = { name: string; input: unknown };

const models = new Map<string, LanguageModelV3>();

/** The model of a script. Throws when there is no script of that name. */
export function scriptByName(name: string): LanguageModelV3 {
  const known = models.get(name);
  if (known) return known;
  if (!Object.hasOwn(habits, name)) {
    throw new Error(`no scripted model "${name}"; there are ${Object.keys(habits).join(', ')}`);
  }
  const model = scriptedModel(perform(habits[name as ScriptName]), `scripted:${name}`);
  models.set(name, model);
  return model;
}

/** What each script adds to the words of the message. */
const habits: Record<ScriptName, (words: Words) => Words> = {
  [ScriptName.assistant]: (words) => words,
  [ScriptName.approver]: (words) => ({ ...words, calls: ['approval', ...words.calls] }),
  [ScriptName.worker]: (words) => ({ ...words, calls: ['progress', ...words.calls] }),
  [ScriptName.painter]: (words) => ({ ...words, calls: ['frontend', ...words.calls] }),
  [ScriptName.slow]: (words) => ({ ...words, slow: true }),
  [ScriptName.failing]: (words) => ({ ...words, fail: true }),
};

function perform(habit: (words: Words) => Words): Script {
  return (options) => {
    const turn = readTurn(options.prompt);
    const words = habit(parseWords(turn.question));
    const tools = offered(options);
    const calls = turn.results.length > 0 ? [] : words.calls.map((wanted) => prepare(wanted, words.rest, tools));
    const possible = calls.filter((call) => call !== undefined);
    if (possible.length > 0) return callTools(possible, options);
    return words.slow ? slowly(words, turn, options) : speak(words, turn, options);
  };
}

function offered({ tools = [] }: LanguageModelV3CallOptions): LanguageModelV3FunctionTool[] {
  return tools.filter((tool) => tool.type === 'function');
}

/** The call a word asks for; undefined when no such tool is offered. */
function prepare(wanted: Words['calls'][number], rest: string, tools: LanguageModelV3FunctionTool[]): Call | undefined {
  if (wanted === 'frontend') {
    const tool = clientTool(tools);
    return tool && { name: tool.name, input: sample(tool.inputSchema, colour(rest)) };
  }
  const call = serverCalls[wanted](rest);
  return tools.some((tool) => tool.name === call.name) ? call : undefined;
}

const serverCalls = {
  approval: (): Call => ({ name: ServerTool.transfer, input: { amount: 120, currency: 'EUR', to: 'Ada' } }),
  progress: (rest: string): Call => ({ name: ServerTool.task, input: { title: rest || 'the task', steps: 5 } }),
  lookup: (rest: string): Call => ({ name: ServerTool.lookup, input: { topic: rest || 'anything' } }),
  note: (rest: string): Call => ({ name: ServerTool.note, input: { text: rest || 'nothing' } }),
};

/** A tool the server does not execute: one that came with the request if there is one, else one of the demo's own. */
function clientTool(tools: LanguageModelV3FunctionTool[]): LanguageModelV3FunctionTool | undefined {
  const server: string[] = Object.values(ServerTool);
  const own: string[] = Object.values(ClientTool);
  const remote = tools.filter((tool) => !server.includes(tool.name));
  return remote.find((tool) => !own.includes(tool.name)) ?? remote[0];
}

const COLOURS = /\b(red|green|blue|yellow|orange|purple|pink|teal|black|white|gray|brown|#[0-9a-f]{3,8})\b/i;
const colour = (rest: string): string => COLOURS.exec(rest)?.[0].toLowerCase() ?? 'teal';

/** Ids are unique in the thread, because its prompt only grows. */
function* callTools(calls: Call[], { prompt }: LanguageModelV3CallOptions): Generator<Part> {
  let output = 0;
  for (const [i, call] of calls.entries()) {
    yield* toolCall(`call_${prompt.length}_${i}`, call.name, call.input);
    output += countTokens(JSON.stringify(call.input));
  }
  yield finish('tool-calls', { input: promptTokens(prompt), output });
}

function* speak(words: Words, turn: Turn, { prompt }: LanguageModelV3CallOptions): Generator<Part> {
  const count = words.long ?? DELTAS;
  // A failure comes in the middle of the text, where it is hardest on everybody.
  const deltas = inDeltas(compose(words, turn), count);
  if (words.fail) {
    yield* text(take(deltas, Math.floor(count / 2)));
    yield { type: 'error', error: new InferenceError('the scripted model failed as it was asked to', false) };
    return;
  }
  let characters = 0;
  for (const part of text(deltas)) {
    if (part.type === 'text-delta') characters += part.delta.length;
    yield part;
  }
  yield finish('stop', { input: promptTokens(prompt), output: Math.ceil(characters / 4) });
}

/** The same answer, spread over about two seconds. */
async function* slowly(words: Words, turn: Turn, options: LanguageModelV3CallOptions): AsyncGenerator<Part> {
  yield* over(speak(words, turn, options), (words.long ?? DELTAS) + 3, SLOW_MS, options.abortSignal);
}

function compose(words: Words, turn: Turn): string {
  const results = turn.results.map(({ name, text, failed }) => `${name} ${failed ? 'failed' : 'answered'}: ${text}`);
  const asked = words.rest === '' ? 'You said nothing in words.' : `You said: "${words.rest}".`;
  return `${[...results, asked].join('\n')} ${EPILOGUE}`;
}

/** Long enough that the shortest answer has twenty words. */
const EPILOGUE =
  'This is the scripted demo model: it repeats what it is told, calls tools on request and costs nothing to run.';

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  if (count <= 0) return;
  for (const item of items) {
    yield item;
    if (--count === 0) return;
  }
}
