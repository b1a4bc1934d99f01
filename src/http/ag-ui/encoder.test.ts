import { describe, expect, it } from 'vitest';
import { say } from '../../../test/support/fake-engine.js';
import { chunksOf } from '../../../test/ag-ui/log.js';
import type { Engine } from '../../actors/engine.js';
import { agUiEncoder, agUiFrames } from './encoder.js';
import { load } from './stored-messages.js';

const run = { run_id: 'r', thread_id: 't' };
const [head, middle, end] = chunksOf(
  [
    say.start(),
    ['step_start', { message_id: 'm' }],
    say.text('a'),
    ['step_end', { finish_reason: 'stop' }],
    say.finish(),
  ],
  [2, 3],
) as [ReturnType<typeof chunksOf>[0], ReturnType<typeof chunksOf>[0], ReturnType<typeof chunksOf>[0]];

describe('frames', () => {
  it('are encoded once for all readers who are told the run’s own id', () => {
    expect(agUiFrames({ v1: false }).of(head, run, 0)).toBe(agUiFrames({ v1: false }).of(head, run, 0));
    expect(agUiFrames({ v1: true }).of(head, run, 0)).not.toBe(agUiFrames({ v1: false }).of(head, run, 0));
  });

  it('are shared with a reader who is told another id, but for those that name it', () => {
    const [own, other] = [agUiFrames({ v1: false }), agUiFrames({ v1: false, run_id: 'x' })];
    expect(other.of(middle, run, 0)).toBe(own.of(middle, run, 0));
    for (const chunk of [head, end]) {
      const renamed = other.of(chunk, run, 0).bytes.toString();
      expect(renamed).toContain('"runId":"x"');
      expect(renamed.replaceAll('"runId":"x"', '"runId":"r"')).toBe(own.of(chunk, run, 0).bytes.toString());
    }
  });

  it('are numbered by their event, and within it when it has several (CONTRACT 1.6)', () => {
    const ids = [
      ...agUiFrames({ v1: false })
        .of(middle, run, 0)
        .bytes.toString()
        .matchAll(/^id: (.*)$/gm),
    ];
    expect(ids.map(([, id]) => id)).toEqual(['2.0', '2.1']);
  });
});

describe('frames that show stored messages', () => {
  const retry = () => chunksOf([say.start(), ['inference_retry', { attempt: 1, reason: 'x', messages_upto: 1 }]])[0]!;
  const message = (cursor: number, more = {}) => ({
    cursor,
    id: `m${cursor}`,
    role: 'user',
    content: `${cursor}`,
    ...more,
  });
  const engine = (messages: object[] | undefined) => ({ read: async () => messages }) as unknown as Engine;
  const snapshot = (chunk: ReturnType<typeof retry>) => [...agUiEncoder({ v1: false })(chunk, run, 1)].flat();

  it('cannot be encoded before these were loaded', async () => {
    const chunk = retry();
    expect(() => snapshot(chunk)).toThrow('were not loaded');
    await load(chunk, 't', engine([message(0), message(1, { visibility: 'internal' })]));
    expect(snapshot(chunk).map((text) => JSON.parse(text) as object)).toMatchObject([
      { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'm0', role: 'user', content: '0' }] },
    ]);
  });

  it('show nothing of a thread that is gone', async () => {
    const chunk = retry();
    await load(chunk, 't', engine(undefined));
    expect(snapshot(chunk).map((text) => JSON.parse(text) as object)).toMatchObject([{ messages: [] }]);
  });
});
