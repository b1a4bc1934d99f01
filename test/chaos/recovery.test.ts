/**
 * A restart that nobody watches: no client comes back, and every run goes on all the same, more of them than may run at
 * once (QUALITY promise 5, CONTRACT 1.15, 1.16).
 */

import { expect, test, vi } from 'vitest';
import { ledgerFaults, readLedger } from './ledger.js';
import { factsOf, parseFrame, type Frame } from './log-rules.js';
import { newPlace, serve } from './server.js';
import { ask, readFrames } from './wire.js';

const RUNS = 600;
const TEXTS = ['[[slow]] hello', '[[approval]] [[slow]] hello', '[[tools 3]] hello', '[[approval]] hello', '2 rounds'];

type RunRecord = { run_id: string; status: string; termination_code: string | null };

test(`${RUNS} runs that nobody watches go on after kill -9, or wait for a decision`, { timeout: 120_000 }, async () => {
  const place = await newPlace();
  const first = await serve(place);
  const runs = Array.from({ length: RUNS }, (_, n) => ({ run_id: `run-${n}`, thread_id: `thread-${n}` }));
  const answers = await Promise.all(
    runs.map(({ run_id, thread_id }, n) =>
      ask(`${first.url}/v1/runs`, {
        method: 'POST',
        headers: { prefer: 'respond-async' },
        body: {
          runId: run_id,
          threadId: thread_id,
          agentId: n % TEXTS.length === 4 ? 'looper' : 'assistant',
          messages: [{ role: 'user', content: `${TEXTS[n % TEXTS.length]} from ${run_id}` }],
        },
      }),
    ),
  );
  expect(answers.filter((answer) => answer?.status !== 202)).toEqual([]);
  await first.kill('SIGKILL');

  const { url } = await serve(place, 2);
  const recordOf = async (run_id: string): Promise<RunRecord> =>
    (await ask(`${url}/v1/runs/${run_id}`))!.body as RunRecord;
  const waiting: string[] = [];
  let open = runs.map(({ run_id }) => run_id);
  await vi.waitFor(
    async () => {
      const records = await Promise.all(open.map(recordOf));
      for (const record of records) if (record.termination_code === 'input_required') waiting.push(record.run_id);
      open = records.filter(({ status }) => status !== 'done').map(({ run_id }) => run_id);
      open = open.filter((run_id) => !waiting.includes(run_id));
      expect(open.slice(0, 10), `${open.length} runs neither end nor wait`).toEqual([]);
    },
    { timeout: 60_000, interval: 250 },
  );

  const ledger = await readLedger(place.ledger);
  await Promise.all(
    runs.map(async (run) => {
      const { run_id } = run;
      const waits = waiting.includes(run_id);
      if (waits)
        expect(await ask(`${url}/v1/runs/${run_id}/cancel`, { method: 'POST' })).toMatchObject({ status: 202 });
      const frames: Frame[] = [];
      const onFrame = (text: string): void => void frames.push(parseFrame(text));
      expect(await readFrames(`${url}/v1/runs/${run_id}/events`, {}, { onFrame })).toEqual({ how: 'ended', rest: '' });
      const { faults, calls, steps, code } = factsOf(frames, run);
      const boots = frames.map(() => Infinity);
      expect([...faults, ...ledgerFaults(ledger.get(run_id), { calls: calls.values(), steps, boots })]).toEqual([]);
      expect(code, run_id).toBe(waits ? 'cancelled' : 'natural');
      expect(
        [...calls.values()].some(({ doubted }) => doubted),
        run_id,
      ).toBe(waits);
    }),
  );
});
