/**
 * Many at once: on as many threads, on one thread, and more than the process keeps in memory. Every run ends, every
 * stream gets its `run_finish`, and a thread has one active run at a time (QUALITY promises 3 and 5).
 */

import { expect, test, vi } from 'vitest';
import { factsOf, parseFrame, type Frame, type LogFacts } from './log-rules.js';
import { newPlace, serve } from './server.js';
import { ask, readFrames } from './wire.js';

type Start = { run_id: string; thread_id: string; text: string; on_busy?: 'interrupt' | 'enqueue' };

const bodyOf = ({ run_id, thread_id, text, on_busy }: Start): object => ({
  runId: run_id,
  threadId: thread_id,
  agentId: 'assistant',
  messages: [{ role: 'user', content: `${text} from ${run_id}` }],
  ...(on_busy ? { on_busy } : {}),
});

type Finished = LogFacts & { start: Start; frames: Frame[] };

/** Starts a run and reads its stream to its end; `onFrame` is told how many frames there are. */
async function runOne(url: string, start: Start, onFrame: (count: number) => void = () => {}): Promise<Finished> {
  const frames: Frame[] = [];
  const end = await readFrames(
    `${url}/v1/runs`,
    { method: 'POST', body: bodyOf(start) },
    { onFrame: (text) => onFrame(frames.push(parseFrame(text))) },
  );
  expect(end, start.run_id).toEqual({ how: 'ended', rest: '' });
  return { start, frames, ...factsOf(frames, start) };
}

const runAll = (url: string, starts: Start[]): Promise<Finished[]> =>
  Promise.all(starts.map((start) => runOne(url, start)));

const faultsOf = (runs: Finished[]): string[] =>
  runs.flatMap(({ start, faults }) => faults.map((fault) => `${start.run_id}: ${fault}`));

/** When each run had the thread: from its start to where it paused or ended. One that never got a turn had it never. */
function reigns(runs: Finished[]): { run_id: string; from: number; to: number }[] {
  return runs
    .filter(({ steps }) => steps.length > 0)
    .map(({ start, frames }) => {
      const end = frames.find(({ event }) => event.type === 'run_waiting' || event.type === 'run_finish')!;
      return { run_id: start.run_id, from: frames[0]!.event.timestamp_ms, to: end.event.timestamp_ms };
    })
    .sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Pairs that had the thread at the same time. */
function overlaps(runs: Finished[]): string[] {
  const sorted = reigns(runs);
  return sorted
    .slice(1)
    .flatMap((next, i) =>
      next.from < sorted[i]!.to ? [`${next.run_id} began before ${sorted[i]!.run_id} ended`] : [],
    );
}

const count = (runs: Finished[], code: string): number => runs.filter((run) => run.code === code).length;

test('1,000 concurrent runs on as many threads all come to their natural end', { timeout: 120_000 }, async () => {
  const { url } = await serve(await newPlace());
  const runs = await runAll(
    url,
    Array.from({ length: 1_000 }, (_, n) => ({
      run_id: `run-${n}`,
      thread_id: `thread-${n}`,
      text: n % 10 === 0 ? '[[tools 2]] hello' : '[[slow]] hello',
    })),
  );
  expect(faultsOf(runs)).toEqual([]);
  expect(count(runs, 'natural')).toBe(1_000);
});

test('of 200 starts at once on one thread one runs at a time, and every one ends', { timeout: 60_000 }, async () => {
  const { url } = await serve(await newPlace());
  const runs = await runAll(
    url,
    Array.from({ length: 200 }, (_, n) => ({ run_id: `run-${n}`, thread_id: 'thread', text: '[[tools 2]] hello' })),
  );
  expect(faultsOf(runs)).toEqual([]);
  expect(overlaps(runs)).toEqual([]);
  expect(count(runs, 'natural') + count(runs, 'superseded')).toBe(200);
  expect(count(runs, 'natural')).toBeGreaterThan(0);
});

test(
  'starts that come one by one in the middle of others supersede them, one at a time',
  { timeout: 60_000 },
  async () => {
    const { url } = await serve(await newPlace());
    const texts = ['[[slow]] hello', '[[tools 2]] hello', '[[progress]] hello', '[[approval]] hello'];
    const finished: Promise<Finished>[] = [];
    for (let n = 0; n < 60; n++) {
      const start: Start = { run_id: `run-${n}`, thread_id: 'thread', text: texts[n % texts.length]! };
      const far = 1 + ((n * 7) % 12);
      // The next one comes when this one is so far, or over.
      await new Promise<void>((goOn) => {
        const run = runOne(url, start, (count) => count === far && goOn());
        finished.push(run);
        void run.finally(goOn);
      });
    }
    const runs = await Promise.all(finished);
    expect(faultsOf(runs)).toEqual([]);
    expect(overlaps(runs)).toEqual([]);
    expect(count(runs, 'superseded')).toBeGreaterThan(0);
    expect(count(runs, 'natural') + count(runs, 'superseded')).toBe(60);
  },
);

test(
  '60 starts that wait for their turn have it one after another, in the order of their coming',
  { timeout: 60_000 },
  async () => {
    const { url } = await serve(await newPlace());
    const starts = Array.from({ length: 60 }, (_, n): Start => {
      return { run_id: `run-${n}`, thread_id: 'thread', text: '[[approval]] [[tools 1]] hello', on_busy: 'enqueue' };
    });
    const runs = await runAll(url, starts);
    expect(faultsOf(runs)).toEqual([]);
    expect(overlaps(runs)).toEqual([]);
    expect(count(runs, 'natural')).toBe(60);
    const accepted = await Promise.all(starts.map(async ({ run_id }) => (await recordOf(url, run_id)).created_at));
    const order = new Map(starts.map(({ run_id }, n) => [run_id, accepted[n]!]));
    const turns = reigns(runs).map(({ run_id }) => order.get(run_id)!);
    expect(turns).toEqual([...turns].sort((a, b) => a - b));
  },
);

test(
  '1,400 runs that nobody watches all end, more than run at once and more than are kept in memory',
  { timeout: 90_000 },
  async () => {
    const { url } = await serve(await newPlace());
    const starts = Array.from({ length: 1_400 }, (_, n): Start => {
      return { run_id: `run-${n}`, thread_id: `thread-${n}`, text: n < 300 ? '[[slow]] hello' : 'hello' };
    });
    const answers = await Promise.all(
      starts.map((start) =>
        ask(`${url}/v1/runs`, { method: 'POST', body: bodyOf(start), headers: { prefer: 'respond-async' } }),
      ),
    );
    expect(answers.filter((answer) => answer?.status !== 202)).toEqual([]);
    let open = starts.map(({ run_id }) => run_id);
    await vi.waitFor(
      async () => {
        const records = await Promise.all(open.map((run_id) => recordOf(url, run_id)));
        open = open.filter((_, i) => records[i]!.status !== 'done');
        expect(open.slice(0, 10), `${open.length} runs do not end`).toEqual([]);
      },
      { timeout: 45_000, interval: 500 },
    );
  },
);

type RunRecord = { status: string; created_at: number };
const recordOf = async (url: string, run_id: string): Promise<RunRecord> =>
  (await ask(`${url}/v1/runs/${run_id}`))!.body as RunRecord;
