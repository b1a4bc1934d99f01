import { describe, expect, it } from 'vitest';
import { finish, reasoning, text, toolCall, type Part } from './scripted/parts.js';
import { Answer } from './answer.js';
import type { ProviderTrace } from './model-call.js';

const model = { provider: 'p.messages', modelId: 'm' };
function traceOf(parts: Part[], used: string[] = []): ProviderTrace | undefined {
  const answer = new Answer(model, new Set(used));
  for (const part of [...parts, finish()]) answer.take(part, []);
  return answer.outcome(0).trace;
}
const signed = { p: { signature: 's' } };

describe('the trace of an answer', () => {
  it('is not kept when the provider put nothing of its own into it', () => {
    expect(traceOf([...reasoning(['hm']), ...text(['Hello'])])).toBeUndefined();
    expect(traceOf([...text(['Hello']), ...toolCall('a', 't')])).toBeUndefined();
  });

  it('keeps thoughts that led to calls', () => {
    expect(traceOf([...reasoning(['h', 'm']), ...toolCall('a', 't')])).toEqual({
      model: 'p.messages/m',
      parts: [
        { type: 'reasoning', text: 'hm' },
        { type: 'call', id: 'a' },
      ],
    });
  });

  it('keeps the order of the parts and the last word of the provider on each', () => {
    const parts: Part[] = [
      { type: 'reasoning-start', id: '0', providerMetadata: { p: { signature: 'early' } } },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'reasoning-delta', id: '0', delta: '', providerMetadata: signed },
      { type: 'reasoning-end', id: '0' },
      ...text(['He', 'y'], '0'),
      { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{}', providerMetadata: { p: { item: 1 } } },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: '!' },
      { type: 'text-end', id: '0', providerMetadata: { p: { item: 2 } } },
    ];
    expect(traceOf(parts)?.parts).toEqual([
      { type: 'reasoning', text: 'hm', metadata: signed },
      { type: 'text', length: 3 },
      { type: 'call', id: 'a', metadata: { p: { item: 1 } } },
      { type: 'text', length: 1, metadata: { p: { item: 2 } } },
    ]);
  });

  it('keeps thoughts that are not shown, and no part without anything in it', () => {
    const parts: Part[] = [
      { type: 'reasoning-start', id: '0', providerMetadata: { p: { redactedData: 'x' } } },
      { type: 'reasoning-end', id: '0' },
      ...text([], '1'),
      ...text(['Hey'], '2'),
    ];
    expect(traceOf(parts)?.parts).toEqual([
      { type: 'reasoning', text: '', metadata: { p: { redactedData: 'x' } } },
      { type: 'text', length: 3 },
    ]);
  });

  it('names calls as we do, also those that were cut off', () => {
    const parts: Part[] = [
      { type: 'tool-call', toolCallId: 'a', toolName: 't', input: '{}', providerMetadata: signed },
      { type: 'tool-input-start', id: 'b', toolName: 't' },
    ];
    const trace = traceOf(parts, ['a'])!;
    expect(trace.parts).toEqual([
      { type: 'call', id: expect.not.stringMatching(/^a$/) as string, metadata: signed },
      { type: 'call', id: 'b' },
    ]);
  });

  it('takes deltas of a block that was never begun', () => {
    expect(traceOf([{ type: 'text-delta', id: '0', delta: 'Hey', providerMetadata: signed }])?.parts).toEqual([
      { type: 'text', length: 3, metadata: signed },
    ]);
  });
});
