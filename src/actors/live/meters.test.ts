/** What is counted for metrics (`../meters.ts`), part by part. */

import { describe, expect, it } from 'vitest';
import type { StatusListener } from '../../store/journal.js';
import { initialEncoderState, type LogChunk, type StoredEvent } from '../events.js';
import { Downtime } from './downtime.js';
import { Tally } from './tally.js';

describe('Downtime', () => {
  it('adds up the time in which the store refused writes, the present one too', () => {
    let now = 0;
    let tell: StatusListener = () => {};
    const downtime = new Downtime({ onStatus: (listener) => ((tell = listener), () => true) }, () => now);
    expect(downtime.seconds).toBe(0);
    now = 1_000;
    tell('degraded');
    now = 3_000;
    expect(downtime.seconds).toBe(2);
    tell('open');
    now = 10_000;
    expect(downtime.seconds).toBe(2);
    tell('degraded');
    now = 10_500;
    tell('closed');
    now = 99_000;
    expect(downtime.seconds).toBe(2.5);
  });
});

describe('Tally', () => {
  const chunk = (n: number, ...events: StoredEvent[]): LogChunk => ({ n, t0: 0, enc: initialEncoderState, events });
  const start: StoredEvent = [
    'run_start',
    0,
    { agent_id: 'a', parent_run_id: null, parent_thread_id: null, origin: 'user' },
  ];
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const finish: StoredEvent = ['run_finish', 0, { termination: { code: 'error', detail: 'x' }, result: null, usage }];

  it('counts runs where they begin and where they end, and every event', () => {
    const tally = new Tally();
    for (const one of [chunk(0, start), chunk(1, ['text_delta', 0, { delta: 'x' }]), chunk(2, finish)])
      tally.count(one);
    tally.count(chunk(0, start, finish));
    tally.count(chunk(7, finish));
    expect(tally.read()).toEqual({ runs: { started: 2, ended: { error: 3 } }, events: 6 });
  });
});
