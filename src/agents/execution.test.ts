import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { executeTool } from './execution.js';
import { defineTool } from './tool.js';
import type { ExecutionContext, Question, Tool, ToolContext } from './types.js';

type Execute = (input: unknown, context: ToolContext) => unknown;

const tool = (execute: Execute, change: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name: 't',
    description: 'd',
    input: z.object({ n: z.number().optional() }),
    execute: execute as NonNullable<Tool['execute']>,
  }),
  ...change,
});

const noState: ExecutionContext['state'] = { get: () => ({}), merge: async () => ({}) };

function context(change: Partial<ExecutionContext> = {}): ExecutionContext {
  return {
    signal: new AbortController().signal,
    run_id: 'r',
    thread_id: 't',
    agent_id: 'a',
    call_id: 'c',
    progress: () => {},
    state: noState,
    ...change,
  };
}

const run = (execute: Execute, change: Partial<ExecutionContext> = {}) =>
  executeTool(tool(execute), {}, context(change));

describe('a tool that finishes', () => {
  it('succeeds with its result as JSON, given what the validation made of the arguments', async () => {
    const added = defineTool({
      name: 'add',
      description: 'd',
      input: z.object({ a: z.number(), b: z.number().default(2) }),
      execute: ({ a, b }, { call_id }) => ({ sum: a + b, call_id }),
    });
    expect(await executeTool(added, { a: 1 }, context())).toEqual({
      outcome: 'succeeded',
      result: { sum: 3, call_id: 'c' },
    });
  });

  it('succeeds with null when it returns nothing', async () => {
    expect(await run(() => undefined)).toEqual({ outcome: 'succeeded', result: null });
  });

  it('fails when its result is not JSON', async () => {
    expect(await run(() => ({ big: 1n }))).toEqual({
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
    const outcome = await executeTool(tool(execute), { n: 'x' }, context());
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
    );
    expect(outcome).toMatchObject({ outcome: 'failed', error: expect.stringContaining('expected object') as string });
  });

  it('when its validator throws fails like any other', async () => {
    const broken = tool(() => null, {
      validate: () => {
        throw new Error('schema');
      },
    });
    expect(await executeTool(broken, {}, context())).toMatchObject({ outcome: 'failed' });
  });

  it('when it has no server side fails', async () => {
    const frontend = tool(() => null);
    delete frontend.execute;
    expect(await executeTool(frontend, {}, context())).toMatchObject({ outcome: 'failed' });
  });
});

describe('a question', () => {
  const ask: Question = { message: 'How many?', response_schema: { type: 'object' } };

  it('ends the execution where it is asked', async () => {
    const after = vi.fn();
    const outcome = await run((_, ctx) => {
      ctx.suspend(ask);
      after();
    });
    expect(outcome).toEqual({ outcome: 'suspended', ...ask });
    expect(after).not.toHaveBeenCalled();
    expect(await run(async (_, ctx) => ctx.suspend({ message: 'Sure?' }))).toEqual({
      outcome: 'suspended',
      message: 'Sure?',
    });
  });

  it.each<[string, Execute]>([
    ['catches everything', (_, ctx) => { try { ctx.suspend(ask); } catch { return 'caught'; } }], // prettier-ignore
    ['fails afterwards', (_, ctx) => { try { ctx.suspend(ask); } catch { throw new Error('no'); } }], // prettier-ignore
    ['asks again', (_, ctx) => { try { ctx.suspend(ask); } catch { ctx.suspend({ message: 'again' }); } }], // prettier-ignore
    ['never comes to an end', (_, ctx) => new Promise(() => { try { ctx.suspend(ask); } catch { /* goes on */ } })], // prettier-ignore
  ])('stands when the tool %s', async (_, execute) => {
    expect(await run(execute)).toEqual({ outcome: 'suspended', ...ask });
  });

  it('aborts what the tool still does, and takes no progress any more', async () => {
    const progress = vi.fn();
    let kept!: ToolContext;
    await run((_, ctx) => ((kept = ctx), ctx.suspend(ask)), { progress });
    expect(kept.signal.aborted).toBe(true);
    kept.progress({ progress: 1 });
    expect(progress).not.toHaveBeenCalled();
  });

  it('is not asked for a call that is being stopped', async () => {
    const abort = new AbortController();
    const execute: Execute = async (_, ctx) => {
      abort.abort();
      ctx.suspend(ask);
    };
    expect(await run(execute, { signal: abort.signal })).toEqual({ outcome: 'aborted' });
  });

  it.each<[string, unknown, string]>([
    ['without words', { message: ' ' }, 'suspend needs a message'],
    ['of nothing', undefined, 'suspend needs a message'],
    ['with a schema that is no object', { message: 'a', response_schema: 'string' }, 'must be a JSON Schema object'],
    ['with a schema that is no JSON', { message: 'a', response_schema: { f() {} } }, 'holds a function at "f"'],
  ])('%s makes the tool fail', async (_, question, error) => {
    expect(await run((_, ctx) => ctx.suspend(question as Question))).toMatchObject({
      outcome: 'failed',
      error: expect.stringContaining(error) as string,
    });
  });
});

describe('the state of the thread', () => {
  it("is the runtime's", async () => {
    let kept = { count: 1 };
    const state = { get: () => kept, merge: async (patch: object) => (kept = { ...kept, ...patch }) };
    const execute: Execute = async (_, ctx) => {
      const merged = await ctx.state.merge({ count: (ctx.state.get()['count'] as number) + 1 });
      return [merged, ctx.state.get()];
    };
    expect(await run(execute, { state })).toMatchObject({ result: [{ count: 2 }, { count: 2 }] });
  });
});

describe('time', () => {
  it('is none of its business: a tool that has a timeout is waited for', async () => {
    vi.useFakeTimers();
    try {
      let done!: () => void;
      const outcome = executeTool(
        tool(() => new Promise((resolve) => (done = () => resolve('late'))), { timeout_ms: 1 }),
        {},
        context(),
      );
      expect(vi.getTimerCount()).toBe(0);
      done();
      expect(await outcome).toEqual({ outcome: 'succeeded', result: 'late' });
    } finally {
      vi.useRealTimers();
    }
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
