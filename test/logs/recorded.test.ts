/**
 * Logs as released versions have written them, byte for byte (`test/fixtures/logs`): each is read for ever, and tells the
 * same events whether it was folded or not (DESIGN "the log").
 *
 * `RECORD=1` adds recordings of the version at hand for kinds that have none; those that are there are never changed.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { canonicalEvents, type LogChunk } from '../../src/actors/events.js';
import { loadChunks } from '../../src/actors/log/chunks.js';
import { loadMessages } from '../../src/actors/thread/rows.js';
import type { Message } from '../../src/actors/records.js';
import { foldRun } from '../../src/actors/retention/fold.js';
import * as keys from '../../src/store/keys.js';
import { MemoryStore } from '../../src/store/memory.js';
import type { Op } from '../../src/store/port.js';
import { framesFrom } from './frames.js';
import { endedRun, KINDS } from './kinds.js';

/** A row: its key in hexadecimal digits, its value as it is. */
type Row = [key: string, value: string];
type Recording = {
  run: { run_id: string; thread_id: string };
  messages: Message[];
  /** The log in chunks, as runs are written. */
  chunks: Row[];
  /** The same log, folded. */
  folded: Row[];
  /** Its events as clients see them. */
  events: unknown[];
};

const RNO = 0;
const DIR = new URL('../fixtures/logs/', import.meta.url);

const eventsOf = (chunks: LogChunk[], run: Recording['run']): unknown[] =>
  chunks.flatMap((chunk) => [...canonicalEvents(chunk, run)]);

if (process.env.RECORD)
  for (const kind of KINDS) {
    const file = new URL(`format-1-${kind}.json`, DIR);
    if (existsSync(file)) continue;
    const { store, run } = await endedRun(kind);
    const rows = () => store.disk.rows(keys.logOf(RNO)).map(([key, value]): Row => [key.toString('hex'), value]);
    const recording: Omit<Recording, 'folded'> = {
      run: { run_id: run.run_id, thread_id: run.thread_id },
      messages: await loadMessages(store, 0),
      chunks: rows(),
      events: eventsOf(await loadChunks(store, RNO, -1), run),
    };
    const fold = await foldRun(store, RNO);
    if (fold.is !== 'folded') throw new Error(`the log is ${fold.is}`);
    await store.batch(fold.ops);
    writeFileSync(file, `${JSON.stringify({ ...recording, folded: rows() }, null, 1)}\n`);
  }

async function storeOf(rows: Row[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch(rows.map(([key, value]): Op => ({ type: 'put', key: Buffer.from(key, 'hex'), value })));
  return store;
}

const files = readdirSync(DIR).filter((name) => name.endsWith('.json'));

it('there is a recording of each kind', () =>
  expect(files).toEqual(expect.arrayContaining(KINDS.map((kind) => `format-1-${kind}.json`))));

describe.each(files)('%s', (file) => {
  const { run, messages, chunks, folded, events } = JSON.parse(readFileSync(new URL(file, DIR), 'utf8')) as Recording;

  it.each([
    ['in chunks', chunks],
    ['folded', folded],
  ])('%s tells the events that were recorded', async (_, rows) => {
    expect(eventsOf(await loadChunks(await storeOf(rows), RNO, -1), run)).toEqual(events);
  });

  it('shows the same bytes on every surface, from every event on, folded or not', async () => {
    const stores = [await storeOf(chunks), await storeOf(folded)] as const;
    for (let from = 0; from <= events.length; from++) {
      const [before, after] = await Promise.all(
        stores.map(async (store) => framesFrom(await loadChunks(store, RNO, from - 1), from, run, messages)),
      );
      expect(after).toEqual(before);
      if (from === events.length) expect(before!.canonical).toBe('');
    }
  });
});
