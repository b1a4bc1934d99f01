import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { defineAgent } from './agent.js';
import { infer, type InferenceRequest } from './inference.js';
import { scriptedModel, type Script } from './scripted/model.js';
import { finish, reasoning, say, text, toolCall, type Part } from './scripted/parts.js';
import { InferenceError, type ModelEvent } from './model-call.js';
import { gate } from '../../test/support/gate.js';
import { failureOf } from '../../test/support/model-call.js';

const user = (content: string) => ({ role: 'user' as const, content });

/** A call of `model`, the batches `append` got, and the means to stop it. */
function call(model: LanguageModelV3 | Script, change: Partial<InferenceRequest> = {}) {
  const batches: ModelEvent[][] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const arrived = (count: number) =>
    new Promise<void>((resolve) => (batches.length >= count ? resolve() : waiting.push({ count, resolve })));
  const abort = new AbortController();
  const agent = defineAgent({ id: 'a', model: typeof model === 'function' ? scriptedModel(model) : model });
  const request: InferenceRequest = {
    agent,
    history: [user('hi')],
    used_call_ids: new Set(),
    idle_timeout_ms: 60_000,
    signal: abort.signal,
    append: async (events) => {
      batches.push(events);
      for (const { count, resolve } of waiting) if (batches.length >= count) resolve();
    },
    ...change,
  };
  return { batches, arrived, events: () => batches.flat(), abort: () => abort.abort(), outcome: infer(request) };
}

const parts =
  (...list: Part[]): Script =>
  () =>
    list;
const turns = async (count: number) => {
  for (let i = 0; i < count; i++) await nextTurn();
};
/** A provider that does not listen to anybody. */
const deaf = (stream: ReadableStream<Part> | Promise<ReadableStream<Part>>): LanguageModelV3 => ({
  ...scriptedModel(() => []),
  doStream: async () => ({ stream: await stream }),
});

describe('an answer', () => {
  it('is told in order and comes to an outcome', async () => {
    const { events, outcome } = call(() => [
      { type: 'response-metadata', modelId: 'm-1' },
      ...reasoning(['hm', 'm']),
      ...text(['Hel', 'lo']),
      finish('stop', { input: 7, output: 3 }),
    ]);
    expect(await outcome).toEqual({
      text: 'Hello',
      calls: [],
      finish_reason: 'stop',
      model: 'm-1',
      usage: { input_tokens: 7, output_tokens: 3, total_tokens: 10 },
      duration_ms: expect.any(Number) as number,
    });
    expect(events()).toEqual([
      ['reasoning_delta', { delta: 'hm' }],
      ['reasoning_delta', { delta: 'm' }],
      ['text_delta', { delta: 'Hel' }],
      ['text_delta', { delta: 'lo' }],
    ]);
  });

  it('passes in one append what arrives in one turn, and in another what arrives later', async () => {
    const later = gate();
    const { batches, arrived, outcome } = call(async function* () {
      yield* text(['a', 'b']);
      await later.opened;
      yield* say('c');
    });
    await arrived(1);
    expect(batches[0]).toHaveLength(2);
    later.open();
    await outcome;
    expect(batches.map((batch) => batch.length)).toEqual([2, 1]);
  });

  it('has no empty deltas and appends nothing when there is nothing to say', async () => {
    const { batches, outcome } = call(() => say('', ''));
    expect((await outcome).text).toBe('');
    expect(batches).toEqual([]);
  });

  it.each(['length', 'content-filter', 'other'] as const)('ends with %s as the model says', async (reason) => {
    expect((await call(parts(finish(reason))).outcome).finish_reason).toBe(reason);
  });

  it('counts 0 where the provider does not count', async () => {
    const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    const usage = { inputTokens: unknown, outputTokens: { total: undefined, text: undefined, reasoning: undefined } };
    const { outcome } = call(parts({ ...(finish() as Extract<Part, { type: 'finish' }>), usage }));
    expect((await outcome).usage).toEqual({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  });

  it('is asked for with the prompt, the options and the tools of the agent', async () => {
    let asked: LanguageModelV3CallOptions | undefined;
    const model = scriptedModel((options) => ((asked = options), say('ok')));
    const agent = defineAgent({
      id: 'a',
      model,
      system_prompt: 'Be brief.',
      model_options: { temperature: 0.5, top_p: 0.9, max_output_tokens: 9, stop: ['x'], seed: 4 },
      tools: [
        {
          name: 't',
          description: 'd',
          parameters: { type: 'object' },
          effect: 'once',
          validate: () => ({ ok: true, value: 1 }),
        },
      ],
    });
    await call(model, { agent }).outcome;
    expect(asked).toMatchObject({
      prompt: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 9,
      stopSequences: ['x'],
      seed: 4,
      tools: [{ type: 'function', name: 't', description: 'd', inputSchema: { type: 'object' } }],
    });
  });
});

describe('back-pressure', () => {
  it('stops reading from the provider while an append is pending', async () => {
    const disk = gate();
    const reached = gate();
    let produced = 0;
    const { outcome } = call(
      function* () {
        for (; produced < 10_000; produced++) yield* text(['x']);
        yield finish();
      },
      { append: () => (reached.open(), disk.opened) },
    );
    await reached.opened;
    await turns(20);
    const held = produced;
    await turns(20);
    expect(produced).toBe(held);
    expect(held).toBeLessThan(400);
    disk.open();
    expect((await outcome).text).toHaveLength(10_000);
  });
});

describe('tool calls', () => {
  const ready = (events: ModelEvent[]) => events.filter(([type]) => type === 'tool_call_ready').map(([, data]) => data);

  it('stream their arguments and end the step with tool-calls, whatever the provider calls it', async () => {
    const { events, outcome } = call(() => [...toolCall('c1', 'add', { a: 1 }), finish('stop')]);
    expect(await outcome).toMatchObject({
      calls: [{ id: 'c1', name: 'add', arguments: { a: 1 } }],
      finish_reason: 'tool-calls',
    });
    expect(events()).toEqual([
      ['tool_call_start', { id: 'c1', name: 'add' }],
      ['tool_call_delta', { id: 'c1', args_delta: '{"a"' }],
      ['tool_call_delta', { id: 'c1', args_delta: ':1}' }],
      ['tool_call_ready', { id: 'c1', name: 'add', arguments: { a: 1 } }],
    ]);
  });

  it('are complete when a provider sends nothing but the call itself', async () => {
    const { events, outcome } = call(
      parts({ type: 'tool-call', toolCallId: 'c', toolName: 'add', input: '{"a":1}' }, finish('tool-calls')),
    );
    await outcome;
    expect(events().map(([type]) => type)).toEqual(['tool_call_start', 'tool_call_delta', 'tool_call_ready']);
  });

  it('keep arguments that do not parse as a string, and take none at all for {}', async () => {
    const { outcome } = call(() => [...toolCall('1', 'a', '{"x":'), ...toolCall('2', 'b', ''), finish('tool-calls')]);
    expect((await outcome).calls.map((made) => made.arguments)).toEqual(['{"x":', {}]);
  });

  it('are closed with what came when the answer is cut off', async () => {
    const { events, outcome } = call(
      parts(
        { type: 'tool-input-start', id: 'c', toolName: 'add' },
        { type: 'tool-input-delta', id: 'c', delta: '{"a' },
        finish('length'),
      ),
    );
    expect(await outcome).toMatchObject({ calls: [{ id: 'c', arguments: '{"a' }], finish_reason: 'length' });
    expect(ready(events())).toHaveLength(1);
  });

  it('get ids of their own where the provider repeats, reuses or omits them', async () => {
    const { events, outcome } = call(
      () => [
        ...toolCall('used', 'a', { n: 1 }),
        ...toolCall('twin', 'a', { n: 2 }),
        ...toolCall('twin', 'a', { n: 3 }),
        ...toolCall('', 'a', { n: 4 }),
        ...toolCall('', 'a', { n: 5 }),
        finish('tool-calls'),
      ],
      { used_call_ids: new Set(['used']) },
    );
    const { calls } = await outcome;
    expect(calls.map((made) => made.arguments)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }, { n: 5 }]);
    const ids = calls.map((made) => made.id);
    expect(new Set([...ids, 'used', '']).size).toBe(7);
    expect(ids[1]).toBe('twin');
    const deltas = events().flatMap(([type, data]) => (type === 'tool_call_delta' ? [data] : []));
    for (const { id, arguments: args } of calls) {
      const streamed = deltas.filter((delta) => delta.id === id).map((delta) => delta.args_delta);
      expect(JSON.parse(streamed.join(''))).toEqual(args);
    }
  });

  it('of one id that overlap are kept apart', async () => {
    const { outcome } = call(
      parts(
        { type: 'tool-input-start', id: 'x', toolName: 'a' },
        { type: 'tool-input-delta', id: 'x', delta: '{"n":1}' },
        { type: 'tool-input-start', id: 'x', toolName: 'b' },
        { type: 'tool-input-delta', id: 'x', delta: '{"n":2}' },
        { type: 'tool-call', toolCallId: 'x', toolName: 'a', input: '{"n":1}' },
        { type: 'tool-call', toolCallId: 'x', toolName: 'b', input: '{"n":2}' },
        finish('tool-calls'),
      ),
    );
    expect((await outcome).calls).toMatchObject([
      { id: 'x', name: 'a', arguments: { n: 1 } },
      { name: 'b', arguments: { n: 2 } },
    ]);
  });

  it('that get arguments without having begun are a broken answer', async () => {
    const { outcome } = call(parts({ type: 'tool-input-delta', id: 'x', delta: '{' }, finish()));
    expect(await failureOf(outcome)).toMatchObject({ retryable: true });
  });

  it('of the provider itself are no calls for us', async () => {
    const { events, outcome } = call(
      parts(
        { type: 'tool-input-start', id: 's', toolName: 'web', providerExecuted: true },
        { type: 'tool-input-delta', id: 's', delta: '{}' },
        { type: 'tool-call', toolCallId: 's', toolName: 'web', input: '{}', providerExecuted: true },
        finish('stop'),
      ),
    );
    expect(await outcome).toMatchObject({ calls: [], finish_reason: 'stop' });
    expect(events()).toEqual([]);
  });
});

describe('a call that fails', () => {
  it('is retryable when the stream ends before its finish', async () => {
    const error = await failureOf(call(() => text(['half'])).outcome);
    expect(error).toBeInstanceOf(InferenceError);
    expect(error.retryable).toBe(true);
  });

  it('is retryable when the model says that it ended with an error', async () => {
    expect(await failureOf(call(parts(finish('error'))).outcome)).toMatchObject({ retryable: true });
  });

  it('tells what came before an error part, then the error', async () => {
    const { events, outcome } = call(() => [...text(['half']), { type: 'error', error: { message: 'overloaded' } }]);
    expect(await failureOf(outcome)).toMatchObject({ message: 'the model call failed: overloaded', retryable: true });
    expect(events()).toEqual([['text_delta', { delta: 'half' }]]);
  });

  it('is final when the model cannot be made', async () => {
    const agent = { ...defineAgent({ id: 'a', model: 'nobody:m' }) };
    const error = await failureOf(call(() => [], { agent }).outcome);
    expect(error).toMatchObject({ name: 'InferenceError', retryable: false });
    expect(error.message).toContain('unknown provider "nobody"');
  });

  it('passes on what append rejects with, unchanged, and stops the provider', async () => {
    const broken = new Error('disk');
    let signal: AbortSignal | undefined;
    const { outcome } = call(
      async function* (options) {
        signal = options.abortSignal;
        yield* text(['a']);
        await new Promise(() => {});
      },
      { append: () => Promise.reject(broken) },
    );
    await expect(outcome).rejects.toBe(broken);
    expect(signal?.aborted).toBe(true);
  });
});

describe('an abort', () => {
  const aborted = { name: 'AbortError' };

  it('before the call asks nobody', async () => {
    const script = vi.fn(() => say('x'));
    await expect(call(script, { signal: AbortSignal.abort() }).outcome).rejects.toMatchObject(aborted);
    expect(script).not.toHaveBeenCalled();
  });

  it('while the provider streams ends the call and the script', async () => {
    const ended = gate();
    let signal: AbortSignal | undefined;
    const { arrived, abort, outcome } = call(async function* ({ abortSignal }) {
      signal = abortSignal;
      try {
        yield* text(['a']);
        await new Promise((_, reject) => abortSignal!.addEventListener('abort', () => reject(new Error('stopped'))));
      } finally {
        ended.open();
      }
    });
    await arrived(1);
    abort();
    expect(signal?.reason).toMatchObject(aborted);
    await expect(outcome).rejects.toMatchObject(aborted);
    await ended.opened;
  });

  it('ends a call to a provider that never answers, and cancels the answer that comes too late', async () => {
    const late = gate();
    const cancelled = gate();
    const stream = late.opened.then(() => new ReadableStream<Part>({ cancel: () => cancelled.open() }));
    const { abort, outcome } = call(deaf(stream));
    abort();
    await expect(outcome).rejects.toMatchObject(aborted);
    late.open();
    await cancelled.opened;
  });

  it('ends a call whose provider ignores it in mid-stream, and appends nothing more', async () => {
    let push!: (part: Part) => void;
    const stream = new ReadableStream<Part>({
      start: (controller) => {
        push = (part) => controller.enqueue(part);
      },
      cancel: () => new Promise(() => {}),
    });
    const { batches, arrived, abort, outcome } = call(deaf(stream));
    push({ type: 'text-delta', id: '1', delta: 'a' });
    await arrived(1);
    push({ type: 'text-delta', id: '1', delta: 'b' });
    abort();
    await expect(outcome).rejects.toMatchObject(aborted);
    await turns(5);
    expect(batches).toHaveLength(1);
  });

  it('ends a call whose append hangs', async () => {
    const reached = gate();
    const { abort, outcome } = call(() => say('x'), { append: () => (reached.open(), new Promise(() => {})) });
    await reached.opened;
    abort();
    await expect(outcome).rejects.toMatchObject(aborted);
  });
});

describe('the rest of a response', () => {
  afterEach(() => void vi.useRealTimers());
  const answered = () => {
    let end!: () => void;
    const cancel = vi.fn();
    const stream = new ReadableStream<Part>({
      start: (controller) => {
        for (const part of say('x')) controller.enqueue(part);
        end = () => controller.close();
      },
      cancel,
    });
    return { ...call(deaf(stream)), cancel, end: () => end() };
  };

  it('does not delay the outcome, and may end by itself so that its connection is kept', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outcome, cancel, end } = answered();
    expect((await outcome).text).toBe('x');
    end();
    await turns(1);
    expect(vi.getTimerCount()).toBe(0);
    expect(cancel).not.toHaveBeenCalled();
  });

  it('is cancelled when it does not end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { outcome, cancel } = answered();
    await outcome;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(cancel).toHaveBeenCalledOnce();
  });
});

describe('silence', () => {
  afterEach(() => void vi.useRealTimers());
  const clock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

  it('of a provider that never answers is retryable, after the time and not before', async () => {
    clock();
    const settled = vi.fn();
    const { outcome } = call(deaf(new Promise(() => {})), { idle_timeout_ms: 5_000 });
    const error = failureOf(outcome);
    void error.then(settled);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await error).toMatchObject({ message: 'model was silent for 5 s', retryable: true });
  });

  it('is counted anew from each part', async () => {
    clock();
    let signal: AbortSignal | undefined;
    const steps = [gate(), gate()];
    const { arrived, outcome } = call(
      async function* (options) {
        signal = options.abortSignal;
        for (const step of steps) {
          yield* text(['a']);
          await step.opened;
        }
        await new Promise(() => {});
      },
      { idle_timeout_ms: 1_000 },
    );
    const error = failureOf(outcome);
    for (const [i, step] of steps.entries()) {
      await arrived(i + 1);
      await vi.advanceTimersByTimeAsync(900);
      step.open();
    }
    await turns(1);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await error).retryable).toBe(true);
    expect(signal?.aborted).toBe(true);
  });

  it('is not counted while we make the provider wait', async () => {
    clock();
    const disk = gate();
    const reached = gate();
    const { outcome } = call(
      function* () {
        for (let i = 0; i < 1_000; i++) yield* text(['x']);
        yield finish();
      },
      { idle_timeout_ms: 1_000, append: () => (reached.open(), disk.opened) },
    );
    await reached.opened;
    await turns(1);
    await vi.advanceTimersByTimeAsync(10_000);
    disk.open();
    expect((await outcome).text).toHaveLength(1_000);
  });
});
