/** A healthy directory has no faults; every kind of damage is found, under its code, in a copy that it was done to. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { endedRun, KINDS } from '../../../test/logs/kinds.js';
import { bench } from '../../../test/support/engine.js';
import { FakeClock } from '../../../test/support/fake-clock.js';
import { asker, echo, holder } from '../../../test/support/service.js';
import { tempDir } from '../../../test/support/temp-dir.js';
import { FormatError, StoreLocked, StoreMissing } from '../../store/errors.js';
import * as keys from '../../store/keys.js';
import { openLevelStore } from '../../store/level.js';
import { MemoryStore } from '../../store/memory.js';
import type { Key, Op } from '../../store/port.js';
import { QUIET_MS } from '../lists/kept-pages.js';
import { checkDataDirectory, checkStore, type DoctorReport } from './index.js';
import { eventually } from '../../../test/support/eventually.js';

type Row = Record<string, unknown>;
type Rows = [Key, string][];

/** The ordinal of the run that is started last. */
const LAST_RUN = 4;

/** A store with some of everything: ended runs, one that asks, one that runs, one that waits for its turn; and blocks. */
async function sample(): Promise<Rows> {
  const clock = new FakeClock();
  const awaited = new Set([keys.runBlock(0), keys.threadBlock(0), keys.foldedLog(LAST_RUN)]);
  const store = new MemoryStore(undefined, {
    batch(_, ops) {
      for (const key of awaited) if (ops.some((op) => op.key.equals(key))) awaited.delete(key);
      return 'ok';
    },
  });
  const held = holder();
  const b = await bench([echo(), asker(), held.agent], { clock, store });
  await b.settle((await b.start('echo', 'one', { thread_id: 'a', resource_id: 'r' })).run_id);
  await b.settle((await b.start('asker', 'pay', { thread_id: 'b', run_id: 'asks' })).run_id);
  await b.start('echo', 'later', { thread_id: 'b', run_id: 'queued', on_busy: 'enqueue' });
  const open = await b.start('holder', 'wait', { thread_id: 'c', run_id: 'runs' });
  await b.events(open.run_id, ({ type }) => type === 'text_delta');
  await b.settle((await b.start('echo', 'child', { thread_id: 'd', run_id: 'child', parent_run_id: 'runs' })).run_id);
  await b.engine.list({ kind: 'runs', offset: 0, limit: 1 });
  // What goes on in the background is timed piece by piece.
  await eventually(() => (clock.advance(QUIET_MS), expect(awaited.size).toBe(0)));
  store.crash();
  return store.disk.rows(keys.everything());
}

const storeOf = async (rows: Rows): Promise<MemoryStore> => {
  const store = new MemoryStore();
  await store.batch(rows.map(([key, value]): Op => ({ type: 'put', key, value })));
  return store;
};

let rows: Rows;
beforeAll(async () => {
  rows = await sample();
});

describe('a healthy store', () => {
  it('has no faults, and everything in it was looked at', async () => {
    const { faults, checked, ...rest } = await checkStore(await storeOf(rows));
    expect(faults).toEqual([]);
    expect(rest).toEqual({ v: 1, ok: true, more: 0 });
    expect(checked).toMatchObject({ threads: 4, runs: 5, entries: 5, logs: 4 });
    expect(checked.actors).toBe(3);
    expect(checked.messages).toBeGreaterThan(4);
    expect(checked.events).toBeGreaterThan(20);
  });

  it('has no faults with a dead letter, nor while its thread is being removed', async () => {
    const first = await bench([asker(), echo()]);
    await first.settle((await first.start('asker', 'pay', { thread_id: 't', run_id: 'asks' })).run_id);
    const { run_id } = await first.start('echo', 'later', { thread_id: 't', on_busy: 'enqueue' });
    await first.engine.close(0);
    // The agent of the one that waits is gone by the time of its turn.
    const store = new MemoryStore(first.store.disk);
    const b = await bench([asker()], { store });
    await b.decide('asks', 'call-1');
    await b.settle(run_id);
    expect(store.disk.rows(keys.allDeadLetters())).toHaveLength(1);
    expect((await checkStore(store)).faults).toEqual([]);
    await b.engine.deliver({ type: 'delete_thread', thread_id: 't' });
    expect((await checkStore(store)).faults).toEqual([]);
    await b.engine.close(0);
  });

  it.each(KINDS)('has no faults with a run that is %s', async (kind) => {
    const { store } = await endedRun(kind);
    expect(await checkStore(store)).toMatchObject({ ok: true, faults: [] });
  });
});

it.each([
  ['children first', ['b', 'd', 'a', 'c']],
  ['parents first', ['c', 'b', 'a', 'd']],
])('a store in which threads are being removed, %s, has no faults, whatever commit that is at', async (_, threads) => {
  for (let commits = 0, over = false; !over; commits++) {
    expect(commits).toBeLessThan(40);
    let left = Infinity;
    const disk = (await storeOf(rows)).disk;
    disk.holder = null;
    const store = new MemoryStore(disk, { batch: () => (left-- > 0 ? 'ok' : 'crash-before') });
    const { engine } = await bench([echo(), asker()], { store });
    left = commits;
    const removal = (async () => {
      for (const thread_id of threads) await engine.deliver({ type: 'delete_thread', thread_id });
      await eventually(() => expect(disk.rows(keys.familyOf('R'))).toEqual([]));
      return true;
    })();
    over = await Promise.race([removal, store.crashed.then(() => false)]);
    store.crash();
    expect((await checkStore(new MemoryStore(disk))).faults).toEqual([]);
    removal.catch(() => {});
  }
});

/** The row of a key changed in a field or two; as text it is put as it is. */
type Damage = { put?: [Key, Row | string][]; del?: Key[]; change?: [Key, (row: never) => unknown][] };

const rnoOf = (run_id: string): number => (JSON.parse(valueOf(keys.runName(run_id))) as { rno: number }).rno;
const tnoOf = (thread_id: string): number => (JSON.parse(valueOf(keys.threadName(thread_id))) as { tno: number }).tno;
const valueOf = (key: Key): string => rows.find(([other]) => other.equals(key))![1];
const firstIn = ({ gte, lt }: { gte: Key; lt: Key }): Key =>
  rows.find(([key]) => Buffer.compare(key, gte) >= 0 && Buffer.compare(key, lt) < 0)![0];
const chunk = (rno: number, at: number): Key =>
  rows.filter(([key]) => key[0] === 69 && keys.ordinalOf(key) === rno)[at]![0];

async function reportAfter({ put = [], del = [], change = [] }: Damage): Promise<DoctorReport> {
  const store = await storeOf(rows);
  const changed = change.map(([key, edit]) => [key, edit(JSON.parse(valueOf(key)) as never)] as const);
  await store.batch([
    ...del.map((key): Op => ({ type: 'del', key })),
    ...[...put, ...changed].map(([key, row]): Op => ({
      type: 'put',
      key,
      value: typeof row === 'string' ? row : JSON.stringify(row),
    })),
  ]);
  return checkStore(store);
}

const deadLetter = (row: Row) => ({ ...row, status: 'dead_letter' });
const edit = (fields: Row) => (row: Row) => ({ ...row, ...fields });
const editEvents =
  (change: (events: [string, number, Row][]) => unknown) => (row: [number, Row, [string, number, Row][]]) => [
    row[0],
    row[1],
    change(row[2]),
  ];

/** What is done, by the code and the words that tell of it. */
const damages: [code: string, detail: RegExp, damage: () => Damage][] = [
  ['row', /no family/, () => ({ put: [[Buffer.from('!'), '0']] })],
  ['row', /no family/, () => ({ put: [[Buffer.from('~x'), '0']] })],
  ['row', /cannot be read/, () => ({ put: [[keys.run(rnoOf('runs')), '{']] })],
  ['row', /cannot be read/, () => ({ put: [[keys.thread(tnoOf('a')), '{}']] })],
  ['row', /another length/, () => ({ put: [[Buffer.from('Cxyz'), '{}']] })],
  ['row', /cannot be read/, () => ({ put: [[keys.ledger(1), 'x']] })],
  ['orphan', /no run/, () => ({ put: [[keys.ledger(1), { kind: 'late_outcome', rno: 99 }]] })],
  ['index', /does not know of it/, () => ({ put: [[keys.ledger(1), { kind: 'late_outcome', rno: rnoOf('child') }]] })],
  ['index', /no late outcome 1/, () => ({ put: [[keys.lateOutcome(rnoOf('child'), 1), 0]] })],
  ['orphan', /no run/, () => ({ put: [[keys.lateOutcome(99, 1), 0]] })],
  ['index', /entry 0 of its thread is no dead letter/, () => ({ put: [[keys.deadLetter(tnoOf('a'), 0), 1]] })],
  ['index', /entry 9 of its thread is no dead letter/, () => ({ put: [[keys.deadLetter(tnoOf('a'), 9), 1]] })],
  ['index', /is not among the dead letters/, () => ({ change: [[firstIn(keys.historyOf(tnoOf('a'))), deadLetter]] })],
  ['orphan', /no thread/, () => ({ put: [[keys.deadLetter(99, 0), 1]] })],
  ['name', /names no thread/, () => ({ put: [[keys.threadName('nobody'), { tno: 77 }]] })],
  ['name', /names no run/, () => ({ put: [[keys.runName('nobody'), { rno: 77, tno: 0, hash: null }]] })],
  ['name', /cannot be found/, () => ({ del: [keys.runName('runs')] })],
  ['name', /cannot be found/, () => ({ del: [keys.threadName('a')] })],
  ['ordinal', /given again/, () => ({ del: [firstIn(keys.metas('ordinals/run/'))] })],
  ['orphan', /no thread/, () => ({ put: [[keys.message(99, 0), {}]] })],
  ['orphan', /no thread/, () => ({ put: [[keys.state(99), {}]] })],
  ['orphan', /no thread/, () => ({ del: [keys.thread(tnoOf('a')), keys.threadName('a')] })],
  ['orphan', /no run/, () => ({ put: [[keys.logChunk(99, 0), '[]']] })],
  ['orphan', /no run/, () => ({ put: [[keys.overrides(99), {}]] })],
  ['orphan', /has ended/, () => ({ put: [[keys.overrides(rnoOf('child')), {}]] })],
  ['thread', /counts \d+ messages/, () => ({ del: [keys.message(tnoOf('a'), 0)] })],
  ['thread', /counts 1 queued/, () => ({ del: [firstIn(keys.queuedOf(tnoOf('b')))] })],
  ['thread', /with no active run/, () => ({ change: [[keys.thread(tnoOf('c')), inactive]] })],
  ['thread', /is not there/, () => ({ change: [[keys.thread(tnoOf('c')), activeRun({ key: '99', run_id: 'x' })]] })],
  ['thread', /has ended/, () => ({ change: [[keys.run(rnoOf('runs')), edit({ status: 'done' })]] })],
  ['thread', /active run is waiting/, () => ({ change: [[keys.run(rnoOf('runs')), edit({ status: 'waiting' })]] })],
  ['message', /says its cursor/, () => ({ change: [[keys.message(tnoOf('a'), 0), edit({ cursor: 5 })]] })],
  ['message', /again/, () => ({ change: [[keys.thread(tnoOf('a')), edit({ next_cursor: 1 })]] })],
  ['entry', /is accepted/, () => ({ change: [[firstIn(keys.queuedOf(tnoOf('b'))), edit({ status: 'accepted' })]] })],
  ['entry', /priority/, () => ({ change: [[firstIn(keys.queuedOf(tnoOf('b'))), edit({ priority: 1 })]] })],
  ['entry', /run is not there/, () => ({ change: [[firstIn(keys.queuedOf(tnoOf('b'))), edit({ rno: 77 })]] })],
  ['entry', /is claimed/, () => ({ change: [[firstIn(keys.historyOf(tnoOf('a'))), edit({ status: 'claimed' })]] })],
  ['entry', /run goes on/, () => ({ change: [[firstIn(keys.historyOf(tnoOf('c'))), edit({ status: 'cancelled' })]] })],
  ['actor', /nobody runs/, () => ({ del: [keys.actor(tnoOf('c'), `${rnoOf('runs')}`)] })],
  ['actor', /is missing/, () => ({ del: [callOf('asks')] })],
  [
    'actor',
    /not known to its parent/,
    () => ({ put: [[Buffer.concat([callOf('asks'), Buffer.from('x')]), valueOf(callOf('asks'))]] }),
  ],
  [
    'actor',
    /no active run/,
    () => ({ put: [[keys.actor(tnoOf('a'), '0'), valueOf(keys.actor(tnoOf('c'), `${rnoOf('runs')}`))]] }),
  ],
  ['actor', /unknown machine/, () => ({ change: [[callOf('asks'), edit({ machine: 'tool_call@99' })]] })],
  [
    'deadline',
    /no time/,
    () => ({ change: [[callOf('asks'), edit({ fx: { t: { src: 'timer', token: 1, input: {} } } })]] }),
  ],
  ['run', /no entry/, () => ({ del: [firstIn(keys.queuedOf(tnoOf('b')))] })],
  ['run', /its log says/, () => ({ change: [[keys.run(rnoOf('child')), edit({ termination_code: 'cancelled' })]] })],
  ['run', /log has ended/, () => ({ change: [[keys.run(rnoOf('child')), edit({ status: 'running' })]] })],
  ['run', /stands at a pause/, () => ({ change: [[keys.run(rnoOf('asks')), edit({ status: 'running' })]] })],
  ['log', /missing/, () => ({ put: [[keys.logChunk(rnoOf('asks'), 999), '[5,{},[["run_resumed",0,{}]]]']] })],
  [
    'log',
    /has no log/,
    () => ({ del: rows.map(([key]) => key).filter((key) => key[0] === 69 && keys.ordinalOf(key) === rnoOf('child')) }),
  ],
  ['log', /without its first/, () => ({ del: [chunk(rnoOf('asks'), 0)] })],
  [
    'log',
    /event 0 is/,
    () => ({ change: [[chunk(rnoOf('asks'), 0), editEvents(([, ...rest]) => [rest[0], ...rest])]] }),
  ],
  [
    'log',
    /follows the end/,
    () => ({
      change: [[keys.foldedLog(rnoOf('child')), (log: unknown[]) => [...log, ['text_delta', 0, { delta: 'x' }]]]],
    }),
  ],
  ['log', /both folded/, () => ({ put: [[keys.logChunk(rnoOf('child'), 0), valueOf(chunk(rnoOf('asks'), 0))]] })],
  ['log', /before its turn/, () => ({ put: [[keys.logChunk(rnoOf('queued'), 0), '[5,{},[["run_start",0,{}]]]']] })],
  ['log', /cannot be read/, () => ({ put: [[chunk(rnoOf('asks'), 0), 'x']] })],
  [
    'enc',
    /at event/,
    () => ({
      change: [
        [chunk(rnoOf('asks'), 1), ([t0, enc, events]: [number, Row, unknown]) => [t0, { ...enc, part: 9 }, events]],
      ],
    }),
  ],
  ['index', /did not end then/, () => ({ put: [[keys.ended(1, rnoOf('runs')), '0']] })],
  ['index', /does not stand among/, () => ({ del: [firstIn(keys.familyOf('Z'))] })],
  ['index', /runs of its thread/, () => ({ del: [keys.runOfThread(tnoOf('c'), rnoOf('runs'))] })],
  ['index', /is not of thread/, () => ({ put: [[keys.runOfThread(tnoOf('a'), rnoOf('runs')), '0']] })],
  ['index', /children of its parent/, () => ({ del: [keys.runOfParent(rnoOf('runs'), rnoOf('child'))] })],
  ['index', /is not a child/, () => ({ put: [[keys.runOfParent(rnoOf('asks'), rnoOf('child')), '0']] })],
  ['columns', /does not agree/, () => ({ change: [[keys.run(rnoOf('child')), edit({ agent_id: 'another' })]] })],
];

const callOf = (run_id: string): Key =>
  rows.find(([key]) => key[0] === 65 && keys.parseActor(key).path.startsWith(`${rnoOf(run_id)}/`))![0];
const activeRun = (active: unknown) => (row: { actor: { context: Row } }) => ({
  ...row,
  actor: { ...row.actor, context: { ...row.actor.context, active } },
});
const inactive = activeRun(null);

describe('damage', () => {
  it.each(damages)('%s: %s', async (code, detail, damage) => {
    const report = await reportAfter(damage());
    expect(report.ok).toBe(false);
    const found = report.faults.filter((fault) => fault.code === code && detail.test(fault.detail));
    expect({ found: found.length > 0, faults: report.faults }).toMatchObject({ found: true });
  });

  it('of every code is among these', async () => {
    const { FaultCode } = await import('./report.js');
    expect([...new Set(damages.map(([code]) => code))].sort()).toEqual(Object.values(FaultCode).sort());
  });

  it('without end is counted', async () => {
    const put = Array.from({ length: 1_500 }, (_, n): [Key, string] => [keys.state(1_000 + n), '{}']);
    expect(await reportAfter({ put })).toMatchObject({ ok: false, more: 500 });
  });
});

describe('a directory', () => {
  it('is checked while nobody has it open, and left as it was', async () => {
    const directory = await tempDir();
    const store = await openLevelStore(directory);
    await store.batch(rows.map(([key, value]): Op => ({ type: 'put', key, value })));
    await expect(checkDataDirectory(directory)).rejects.toThrow(StoreLocked);
    await store.close();
    expect(await checkDataDirectory(directory)).toMatchObject({ ok: true, faults: [] });
    const after = await openLevelStore(directory);
    for await (const [key, value] of after.range(keys.everything())) expect(valueOf(key)).toBe(value);
    await after.close();
  });

  it('that holds no data of a server is refused, and nothing is made in it', async () => {
    const root = await tempDir();
    for (const directory of [root, join(root, 'nowhere')])
      await expect(checkDataDirectory(directory)).rejects.toThrow(StoreMissing);
    expect(await readdir(root)).toEqual([]);
    const foreign = join(root, 'foreign');
    await (await openLevelStore(foreign)).close();
    await expect(checkDataDirectory(foreign)).rejects.toThrow(FormatError);
  });
});
