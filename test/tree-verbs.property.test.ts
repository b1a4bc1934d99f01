/**
 * Verbs on a tree of threads, at any of its runs, in any number and order, with a crash in between or without: every run
 * that is left comes to its end, and what `FamilyScene.check` says holds (CONTRACT 1.9 to 1.15, 2.4, 2.6, 4.5, 5.5).
 *
 * The argument: what a verb does to one thread is told by the verbs of one thread (`verbs.property.test.ts`). Between
 * threads there is no common order: a child may be answered, stopped, cut or deleted while its parent follows it, asks in
 * its place, or is being stopped itself. The seed of a failure is in its message.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'vitest';
import type { RunRecord } from '../src/actors/index.js';
import { dice, type Dice } from './support/dice.js';
import { FamilyScene, TASKS, tolerate } from './support/family-scene.js';

const SEEDS = Number(process.env['VERB_SEEDS'] ?? 40);
const FIRST = Number(process.env['VERB_SEED'] ?? 1);

const of = <T>(pick: Dice, items: readonly T[]): T => items[pick(items.length)]!;
const ON_BUSY = ['interrupt', 'enqueue', 'reject', 'rollback'] as const;

type Verb = (scene: FamilyScene, run: RunRecord, pick: Dice) => Promise<unknown>;

const VERBS: Verb[] = [
  ({ bench }, { thread_id }) => bench.engine.deliver({ type: 'interrupt', thread_id }),
  ({ bench }, { run_id }) => bench.engine.deliver({ type: 'cancel', run_id }),
  ({ bench }, { thread_id }) => bench.engine.deliver({ type: 'fork_thread', thread_id }),
  (scene, { run_id }, pick) => scene.decide(run_id, of(pick, ['resume', 'cancel'])),
  (scene, { run_id }, pick) => scene.decide(run_id, of(pick, ['resume', 'cancel'])),
  (scene, { thread_id }) => scene.delete(thread_id),
  async ({ clock }, _, pick) => clock.advance(of(pick, [100, 600, 1_000, 5_000, 7_000])),
  (scene, { thread_id }, pick) => scene.start(of(pick, ['next', 'go']), { thread_id, on_busy: of(pick, ON_BUSY) }),
  async (scene, { thread_id }, pick) => {
    const said = (await scene.bench.messages(thread_id)).filter(({ role }) => role === 'user');
    if (said.length === 0) return;
    await scene.start('next', { thread_id, rewind: { message_id: of(pick, said).id, keep: pick(2) === 0 } });
  },
  async (scene, { thread_id }, pick) => {
    const [entry] = await scene.queued(thread_id);
    if (!entry) return;
    const { entry_id } = entry;
    const messages = [{ role: 'user' as const, content: 'next' }];
    await scene.bench.engine.deliver(
      pick(2) === 0
        ? { type: 'cancel_entry', thread_id, entry_id }
        : { type: 'edit_entry', thread_id, entry_id, priority: pick(256), messages },
    );
  },
];

async function play(scene: FamilyScene, pick: Dice): Promise<void> {
  for (let turns = pick(60); turns > 0; turns--) await nextTurn();
  const crashAt = pick(3) === 0 ? pick(6) : -1;
  let underWay: Promise<unknown>[] = [];
  for (let i = 0, verbs = 1 + pick(6); i < verbs; i++) {
    if (i === crashAt) {
      await scene.crash();
      underWay = []; // The dead answer nobody.
    }
    const runs = await scene.runs();
    if (runs.length === 0) break;
    const done = of(pick, VERBS)(scene, of(pick, runs), pick).catch(tolerate);
    underWay.push(done);
    const pace = pick(3);
    if (pace === 0) await done;
    for (let turns = pace * pick(10); turns > 0; turns--) await nextTurn();
  }
  await Promise.all(underWay);
}

test(`${SEEDS} histories of verbs on trees`, { timeout: 600_000 }, async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const pick = dice(seed);
    const scene = await FamilyScene.open(of(pick, TASKS));
    try {
      await play(scene, pick);
      await scene.finish();
      await scene.check();
    } catch (error) {
      throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
    } finally {
      await scene.close();
    }
  }
});
