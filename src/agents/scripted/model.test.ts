import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { scriptedModel, type Script } from './model.js';
import { finish, reasoning, say, text, toolCall, type Part } from './parts.js';

const options = (abortSignal?: AbortSignal): LanguageModelV3CallOptions => ({
  prompt: [],
  ...(abortSignal ? { abortSignal } : {}),
});

async function collect(script: Script, signal?: AbortSignal): Promise<Part[]> {
  const { stream } = await scriptedModel(script).doStream(options(signal));
  const parts: Part[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe('scriptedModel', () => {
  it('streams what a script yields, however it yields it, and ends with it', async () => {
    const parts = [...say('a', 'b')];
    expect(await collect(() => parts)).toEqual(parts);
    expect(await collect(() => say('a', 'b'))).toEqual(parts);
    expect(await collect(async function* () { yield* parts; })).toEqual(parts); // prettier-ignore
    expect(await collect(() => [])).toEqual([]);
  });

  it('makes a burst no faster than it is read', async () => {
    let made = 0;
    const { stream } = await scriptedModel(function* () {
      for (; made < 100_000; made++) yield* text(['x']);
    }).doStream(options());
    const reader = stream.getReader();
    await reader.read();
    expect(made).toBeLessThan(200);
    await reader.cancel();
  });

  it('ends with the reason of an abort while its script waits, and lets the script clean up', async () => {
    const abort = new AbortController();
    let cleaned!: () => void;
    const clean = new Promise<void>((resolve) => (cleaned = resolve));
    const { stream } = await scriptedModel(async function* ({ abortSignal }) {
      try {
        yield* text(['a']);
        await new Promise((resolve) => abortSignal!.addEventListener('abort', resolve));
        yield finish();
      } finally {
        cleaned();
      }
    }).doStream(options(abort.signal));
    const reader = stream.getReader();
    for (let i = 0; i < 3; i++) await reader.read();
    const next = reader.read();
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    await clean;
  });

  it('ends a burst at the next pull after an abort', async () => {
    const abort = new AbortController();
    const { stream } = await scriptedModel(() => text(Array<string>(10_000).fill('x'))).doStream(options(abort.signal));
    abort.abort();
    await expect((async () => { for await (const _ of stream); })()).rejects.toThrow('aborted'); // prettier-ignore
  });

  it('fails where the script fails', async () => {
    const error = new Error('script');
    const failing: Script = () => {
      throw error;
    };
    await expect(scriptedModel(failing).doStream(options())).rejects.toBe(error);
    await expect(collect(function* () { yield* text(['a']); throw error; })).rejects.toBe(error); // prettier-ignore
    await expect(collect(async function* () { yield* text(['a']); throw error; })).rejects.toBe(error); // prettier-ignore
  });

  it('gives the whole answer at once when asked to', async () => {
    const model = scriptedModel(() => [
      ...reasoning(['h', 'm']),
      ...text(['a', 'b']),
      ...toolCall('c', 'add', { n: 1 }),
      finish('tool-calls', { input: 3, output: 4 }),
    ]);
    expect(await model.doGenerate(options())).toMatchObject({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'ab' },
        { type: 'tool-call', toolCallId: 'c', toolName: 'add', input: '{"n":1}' },
      ],
      finishReason: { unified: 'tool-calls' },
      usage: { inputTokens: { total: 3 }, outputTokens: { total: 4 } },
      warnings: [],
    });
    await expect(scriptedModel(() => []).doGenerate(options())).rejects.toThrow('without a finish part');
  });
});
