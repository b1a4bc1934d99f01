import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LanguageModelV3CallOptions, LanguageModelV3Prompt } from '@ai-sdk/provider';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { demoAgents } from '../demo.js';
import { executeTool } from '../execution.js';
import { infer } from '../inference.js';
import type { Agent, Tool } from '../types.js';
import { InferenceError, type HistoryMessage, type ModelEvent } from '../model-call.js';
import { scriptByName } from './scripts.js';

const agents = Object.fromEntries(demoAgents().map((agent) => [agent.id, agent]));

function ask(agent: Agent | string, history: string | HistoryMessage[], signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  const outcome = infer({
    agent: typeof agent === 'string' ? agents[agent]! : agent,
    history: typeof history === 'string' ? [{ role: 'user', content: history }] : history,
    used_call_ids: new Set(),
    idle_timeout_ms: 60_000,
    signal,
    append: async (batch) => void events.push(...batch),
  });
  return { events, outcome };
}

/** The question, the calls the agent made of it, and these results: what comes next is speech. */
async function afterTools(agent: Agent | string, question: string, result: (name: string) => string, is_error = false) {
  const { calls } = await ask(agent, question).outcome;
  return ask(agent, [
    { role: 'user', content: question },
    { role: 'assistant', content: '', tool_calls: calls },
    ...calls.map(({ id, name }) => ({ role: 'tool' as const, content: result(name), tool_call_id: id, is_error })),
  ]).outcome;
}

const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await nextTurn();
};

const called = async (agent: Agent | string, question: string) =>
  (await ask(agent, question).outcome).calls.map(({ name }) => name);

describe('assistant', () => {
  it.each([
    ['hello there', '"hello there"'],
    ['', 'nothing'],
    ['a [[riddle]] here', '"a [[riddle]] here"'],
    ['two\n  lines', '"two\n  lines"'],
    [Array(500).fill('word').join(' '), 'word word'],
    ['x'.repeat(10_000), 'xxx'],
  ])('answers %j in twenty deltas that repeat it', async (question, repeated) => {
    const { events, outcome } = ask('assistant', question);
    const { text, finish_reason, usage } = await outcome;
    expect(text).toContain(repeated);
    expect(events.map(([type]) => type)).toEqual(Array(20).fill('text_delta'));
    expect(events.map(([, data]) => (data as { delta: string }).delta).join('')).toBe(text);
    expect(finish_reason).toBe('stop');
    expect(usage.output_tokens).toBeGreaterThan(10);
  });

  it('says the same to the same prompt', async () => {
    const question = '[[approval]] [[tools 2]] pay';
    const [first, second] = await Promise.all([ask('assistant', question).outcome, ask('assistant', question).outcome]);
    expect({ ...first, duration_ms: 0 }).toEqual({ ...second, duration_ms: 0 });
  });

  it.each<[string, string[]]>([
    ['[[approval]]', ['transfer_funds']],
    ['[[progress]]', ['long_task']],
    ['[[frontend]]', ['get_location']],
    ['[[client-tool]]', ['get_location']],
    ['[[tools 3]]', ['look_up', 'save_note', 'look_up']],
    ['[[tools 0]]', []],
    ['[[tools 2]] and [[approval]], then [[progress]]', ['look_up', 'save_note', 'transfer_funds', 'long_task']],
  ])('calls for %s exactly its tools, with arguments they take and ids of their own', async (question, names) => {
    const { calls, finish_reason } = await ask('assistant', question).outcome;
    expect(calls.map(({ name }) => name)).toEqual(names);
    expect(finish_reason).toBe(names.length > 0 ? 'tool-calls' : 'stop');
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    for (const call of calls) {
      const tool = agents.assistant!.tools.find(({ name }) => name === call.name)!;
      expect(tool.validate(call.arguments).ok).toBe(true);
    }
  });

  it('caps the number of calls', async () => {
    expect(await called('assistant', '[[tools 999999999]]')).toHaveLength(256);
  });

  it('speaks when the tools have answered, and repeats what it got back', async () => {
    const { text, calls } = await afterTools('assistant', '[[approval]] [[tools 2]] pay', (name) => `<${name}>`);
    expect(calls).toEqual([]);
    expect(text).toContain('transfer_funds answered: <transfer_funds>');
    expect(text).toContain('save_note answered: <save_note>');
    expect(text).toContain('You said: "pay"');
    const denied = await afterTools('assistant', '[[approval]]', () => 'denied by the user', true);
    expect(denied.text).toContain('transfer_funds failed: denied by the user');
  });

  it('calls its tools again when the user asks again', async () => {
    const question = '[[tools 1]]';
    const { calls } = await ask('assistant', question).outcome;
    const again = await ask('assistant', [
      { role: 'user', content: question },
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', content: 'x', tool_call_id: calls[0]!.id },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: question },
    ]).outcome;
    expect(again.calls).toHaveLength(1);
    expect(again.calls[0]!.id).not.toBe(calls[0]!.id);
  });

  it('prefers the frontend tool that came with the request, and makes up arguments for it', async () => {
    const parameters: Tool['parameters'] = {
      type: 'object',
      required: ['title', 'level', 'size', 'tags', 'on', 'mode'],
      properties: {
        title: { type: 'string' },
        level: { enum: ['low', 'high'] },
        size: { type: 'integer', minimum: 4 },
        tags: { type: 'array', minItems: 1, items: { type: 'string' } },
        on: { type: 'boolean' },
        mode: { anyOf: [{ const: 'fast' }, { type: 'null' }] },
        optional: { type: 'string' },
      },
    };
    const offered: Tool = {
      name: 'show_card',
      description: 'd',
      parameters,
      effect: 'idempotent',
      validate: (value) => ({ ok: true, value }),
    };
    const agent = { ...agents.assistant!, tools: [...agents.assistant!.tools, offered] };
    const { calls } = await ask(agent, '[[frontend]]').outcome;
    expect(calls).toMatchObject([
      {
        name: 'show_card',
        arguments: { title: 'teal', level: 'low', size: 4, tags: ['teal'], on: true, mode: 'fast' },
      },
    ]);
    expect((await afterTools(agent, '[[frontend]]', () => 'shown')).text).toContain('show_card answered: shown');
  });

  it('speaks when the tool it should call is not offered', async () => {
    const { calls, text } = await ask({ ...agents.assistant!, tools: [] }, '[[approval]] [[frontend]] hello').outcome;
    expect(calls).toEqual([]);
    expect(text).toContain('hello');
  });

  it.each([1, 7, 20, 1_000])('streams [[long %i]] in as many deltas', async (count) => {
    const { events, outcome } = ask('assistant', `[[long ${count}]] hello`);
    await outcome;
    expect(events).toHaveLength(count);
    expect(events.every(([, data]) => (data as { delta: string }).delta !== '')).toBe(true);
  });

  it('breaks off in the middle of [[fail]], for good', async () => {
    const { events, outcome } = ask('assistant', '[[fail]] hello');
    await expect(outcome).rejects.toMatchObject({ name: 'InferenceError', retryable: false });
    expect(events).toHaveLength(10);
  });

  it('calls its tools before it fails', async () => {
    expect(await called('assistant', '[[fail]] [[tools 1]]')).toEqual(['look_up']);
    await expect(afterTools('assistant', '[[fail]] [[tools 1]]', () => 'x')).rejects.toBeInstanceOf(InferenceError);
  });
});

describe('slow streaming', () => {
  afterEach(() => void vi.useRealTimers());

  it.each(['slow', 'assistant'])('of %s takes about two seconds, spread evenly', async (id) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const settled = vi.fn();
    const { events, outcome } = ask(id, '[[slow]] hello');
    void outcome.then(settled);
    await vi.advanceTimersByTimeAsync(1_000);
    await turns(3);
    expect(events.length).toBeGreaterThan(8);
    expect(events.length).toBeLessThan(13);
    await vi.advanceTimersByTimeAsync(700);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(400);
    await turns(3);
    expect(settled).toHaveBeenCalled();
    expect(events).toHaveLength(20);
  });

  it('stops at once when it is aborted, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    const abort = new AbortController();
    const { outcome } = ask('slow', 'hello', abort.signal);
    const error = outcome.catch((error: Error) => error.name);
    await vi.advanceTimersByTimeAsync(500);
    abort.abort();
    expect(await error).toBe('AbortError');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the other demo agents', () => {
  it.each([
    ['approver', 'hello', ['transfer_funds']],
    ['worker', 'hello', ['long_task']],
    ['painter', 'make it pink', ['set_background']],
  ])('%s calls its tool, then speaks', async (id, question, names) => {
    expect(await called(id, question)).toEqual(names);
    expect((await afterTools(id, question, () => 'ok')).text).toContain(`${names[0]} answered: ok`);
  });

  it('painter takes the colour that is named', async () => {
    const { calls } = await ask('painter', 'make it Pink please').outcome;
    expect(calls[0]!.arguments).toEqual({ color: 'pink' });
  });

  it('failing fails, for good', async () => {
    await expect(ask('failing', 'hello').outcome).rejects.toMatchObject({ retryable: false });
  });
});

describe('the demo tools', () => {
  afterEach(() => void vi.useRealTimers());
  const tool = (name: string) => agents.assistant!.tools.find((tool) => tool.name === name)!;
  const context = (change: object = {}) => ({
    signal: new AbortController().signal,
    run_id: 'r',
    thread_id: 't',
    agent_id: 'a',
    call_id: 'c',
    progress: () => {},
    state: { get: () => ({}), merge: async () => ({}) },
    ...change,
  });

  it('declare what a repetition does', () => {
    const declared = agents.assistant!.tools.map((tool) => [
      tool.name,
      tool.effect,
      tool.permission ?? 'allow',
      tool.execute ? 'server' : 'client',
    ]);
    expect(declared).toEqual([
      ['transfer_funds', 'once', 'ask', 'server'],
      ['long_task', 'idempotent', 'allow', 'server'],
      ['look_up', 'readOnly', 'allow', 'server'],
      ['save_note', 'idempotent', 'allow', 'server'],
      ['get_location', 'readOnly', 'allow', 'client'],
    ]);
  });

  it('long_task reports every step on its way through a second', async () => {
    vi.useFakeTimers();
    const progress = vi.fn();
    const outcome = executeTool(tool('long_task'), { title: 'x', steps: 4 }, context({ progress }));
    await vi.advanceTimersByTimeAsync(500);
    expect(progress).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(500);
    expect(await outcome).toMatchObject({ outcome: 'succeeded', result: { status: 'finished' } });
    expect(progress.mock.calls.map(([report]) => (report as { progress: number }).progress)).toEqual([
      0.25, 0.5, 0.75, 1,
    ]);
  });

  it('long_task stops when it is aborted', async () => {
    const abort = new AbortController();
    const progress = () => abort.abort();
    const running = executeTool(
      tool('long_task'),
      { title: 'x', steps: 100 },
      context({ signal: abort.signal, progress }),
    );
    expect(await running).toEqual({ outcome: 'aborted' });
  });

  it('transfer_funds refers to its call', async () => {
    const args = { amount: 1, currency: 'EUR', to: 'Ada' };
    expect(await executeTool(tool('transfer_funds'), args, context())).toEqual({
      outcome: 'succeeded',
      result: { status: 'sent', ...args, reference: 'c' },
    });
  });
});

describe('as a language model', () => {
  const prompt: LanguageModelV3Prompt = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
  const options = (change: Partial<LanguageModelV3CallOptions> = {}): LanguageModelV3CallOptions => ({
    prompt,
    ...change,
  });

  it('generates without streaming what it would stream', async () => {
    const { content, finishReason, usage } = await scriptByName('assistant').doGenerate(options());
    const streamed = await ask({ ...agents.assistant!, system_prompt: '' }, 'hello').outcome;
    expect(content).toEqual([{ type: 'text', text: streamed.text }]);
    expect(finishReason.unified).toBe('stop');
    expect(usage.outputTokens.total).toBe(streamed.usage.output_tokens);
  });

  it('refuses to begin when it is aborted, and fails where it should without streaming too', async () => {
    const model = scriptByName('assistant');
    await expect(model.doStream(options({ abortSignal: AbortSignal.abort() }))).rejects.toThrow();
    await expect(scriptByName('failing').doGenerate(options())).rejects.toBeInstanceOf(InferenceError);
  });
});
