import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { executeTool } from './execution.js';
import { defineTool } from './tool.js';
import type { Tool, ToolContext } from './types.js';

type Execute = NonNullable<Tool['execute']>;

const tool = (execute: Execute, change: Partial<Tool> = {}): Tool => ({
  ...defineTool({ name: 't', description: 'd', input: z.object({ n: z.number().optional() }), execute }),
  ...change,
});

function context(change: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    run_id: 'r',
    thread_id: 't',
    agent_id: 'a',
    call_id: 'c',
    progress: () => {},
    ...change,
  };
}

const run = (execute: Execute, change: Partial<ToolContext> = {}) =>
  executeTool(tool(execute), {}, context(change), { timeout_ms: 60_000 });

afterEach(() => void vi.useRealTimers());

describe('a tool that finishes', () => {
  it('succeeds with its result as JSON, given what the validation made of the arguments', async () => {
    const added = defineTool({
      name: 'add',
      description: 'd',
      input: z.object({ a: z.number(), b: z.number().default(2) }),
      execute: ({ a, b }, { call_id }) => ({ sum: a + b, call_id }),
    });
    expect(await executeTool(added, { a: 1 }, context(), { timeout_ms: 1_000 })).toEqual({
      outcome: 'succeeded',
      result: { sum: 3, call_id: 'c' },
    });
  });

  it('succeeds with null when it returns nothing', async () => {
    expect(await run(() => undefined)).toEqual({ outcome: 'succeeded', result: null });
  });

  it('fails when its result is not JSON', async () => {
    expect(await run(() => ({ big: 1n }) as never)).toEqual({
      outcome: 'failed',
      error: 'the result of t holds a BigInt at "big", which is not JSON',
    });
  });

  it('reports progress as a fraction, and nothing once it is over', async () => {
    const progress = vi.fn();
    let report!: ToolContext['progress'];
    await run(
      (_, ctx) => {
        report = (told) => ctx.progress(told);
        report({ progress: 0.5, message: 'half' });
        report({ progress: 7 });
        report({ progress: NaN });
        return null;
      },
      { progress },
    );
    report({ progress: 1 });
    expect(progress.mock.calls).toEqual([[{ progress: 0.5, message: 'half' }], [{ progress: 1 }], [{ progress: 0 }]]);
  });
});

describe('a tool that fails', () => {
  it.each<[string, () => never, string]>([
    ['an error', () => { throw new Error('no such order'); }, 'no such order'], // prettier-ignore
    ['an error without words', () => { throw new TypeError(); }, 'TypeError'], // prettier-ignore
    ['a text', () => { throw 'nope' as unknown as Error; }, 'nope'], // prettier-ignore
    ['nothing', () => { throw undefined as unknown as Error; }, 'the tool failed without saying why'], // prettier-ignore
  ])('by throwing %s tells the model in a sentence without a stack', async (_, execute, error) => {
    expect(await run(execute)).toEqual({ outcome: 'failed', error });
    expect(await run(async () => execute())).toEqual({ outcome: 'failed', error });
  });

  it('on arguments it does not take is not executed', async () => {
    const execute = vi.fn();
    const outcome = await executeTool(tool(execute), { n: 'x' }, context(), { timeout_ms: 1 });
    expect(outcome).toMatchObject({
      outcome: 'failed',
      error: expect.stringMatching(/^invalid arguments for t: n: /) as string,
    });
    expect(execute).not.toHaveBeenCalled();
  });

  it('on arguments that did not parse says what it wants', async () => {
    const outcome = await executeTool(
      tool(() => null),
      '{"n":',
      context(),
      { timeout_ms: 1 },
    );
    expect(outcome).toMatchObject({ outcome: 'failed', error: expect.stringContaining('expected object') as string });
  });

  it('when its validator throws fails like any other', async () => {
    const broken = tool(() => null, {
      validate: () => {
        throw new Error('schema');
      },
    });
    expect(await executeTool(broken, {}, context(), { timeout_ms: 1 })).toMatchObject({ outcome: 'failed' });
  });

  it('when it has no server side fails', async () => {
    const frontend = tool(() => null);
    delete frontend.execute;
    expect(await executeTool(frontend, {}, context(), { timeout_ms: 1 })).toMatchObject({ outcome: 'failed' });
  });
});

describe('the timeout', () => {
  it('ends the call whatever the tool does, and swallows what comes later', async () => {
    vi.useFakeTimers();
    let signal!: AbortSignal;
    let reject!: (error: Error) => void;
    const outcome = executeTool(
      tool((_, ctx) => ((signal = ctx.signal), new Promise((_, no) => (reject = no)))),
      {},
      context(),
      { timeout_ms: 2_000 },
    );
    await vi.advanceTimersByTimeAsync(1_999);
    expect(signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await outcome).toEqual({ outcome: 'failed', error: 't timed out after 2 s', timed_out: true });
    expect(signal.aborted).toBe(true);
    reject(new Error('late'));
  });

  it('stays the outcome when the tool stops at once because of it', async () => {
    vi.useFakeTimers();
    const stopping: Execute = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const outcome = executeTool(tool(stopping), {}, context(), { timeout_ms: 10 });
    await vi.advanceTimersByTimeAsync(10);
    expect(await outcome).toMatchObject({ outcome: 'failed', timed_out: true });
  });

  it('of the tool itself goes before the default, and leaves no timer behind', async () => {
    vi.useFakeTimers();
    const forever = tool(() => new Promise(() => {}), { timeout_ms: 50 });
    const outcome = executeTool(forever, {}, context(), { timeout_ms: 60_000 });
    await vi.advanceTimersByTimeAsync(50);
    expect(await outcome).toMatchObject({ timed_out: true });
    await executeTool(
      tool(() => null),
      {},
      context(),
      { timeout_ms: Infinity },
    );
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('an abort', () => {
  it('before the call executes nothing', async () => {
    const execute = vi.fn();
    expect(await run(execute, { signal: AbortSignal.abort() })).toEqual({ outcome: 'aborted' });
    expect(execute).not.toHaveBeenCalled();
  });

  it('reaches the tool, which stops', async () => {
    const abort = new AbortController();
    const outcome = run(
      (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stop')))),
      { signal: abort.signal },
    );
    abort.abort();
    expect(await outcome).toEqual({ outcome: 'aborted' });
  });

  it('is not listened to for longer than the call', async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await run(() => null, { signal });
    expect(added).toHaveBeenCalledOnce();
    expect(removed.mock.calls[0]?.[1]).toBe(added.mock.calls[0]?.[1]);
  });

  it('does not undo what the tool did', async () => {
    const abort = new AbortController();
    let done!: (result: string) => void;
    const outcome = run(() => new Promise((resolve) => (done = resolve)), { signal: abort.signal });
    await Promise.resolve();
    abort.abort();
    done('paid');
    expect(await outcome).toEqual({ outcome: 'succeeded', result: 'paid' });
  });
});
