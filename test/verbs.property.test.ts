/**
 * Verbs in any number and order, at the same instant or one after another, with a crash in between or without: from every
 * state every run comes to its end, and what `Scene.check` says holds (CONTRACT 1.9 to 1.15).
 *
 * The argument: each verb is one item of the thread's inbox, so an interleaving of verbs, facts and a crash is an order of
 * items and commits; random orders over all states meet what a table of single verbs cannot (a start that interrupts a run
 * that is being taken back, a decision for a run that is being cancelled, …). The seed of a failure is in its message.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'vitest';
import { AgentServerError, ErrorCode } from '../src/errors.js';
import { CALL, Scene, STATES } from './support/scene.js';
import { dice, type Dice } from './support/dice.js';

const SEEDS = Number(process.env['VERB_SEEDS'] ?? 300);
const FIRST = Number(process.env['VERB_SEED'] ?? 1);

const of = <T>(pick: Dice, items: readonly T[]): T => items[pick(items.length)]!;

/** What a client must expect of a verb that comes too late, or of a start that wants no company. */
const EXPECTED: readonly string[] = [ErrorCode.runNotActive, ErrorCode.conflict, ErrorCode.runNotFound];
const tolerate = (error: unknown): void => {
  if (!(error instanceof AgentServerError && EXPECTED.includes(error.code))) throw error;
};

const VERBS: ((scene: Scene, pick: Dice) => Promise<unknown>)[] = [
  ({ bench, thread_id }) => bench.engine.deliver({ type: 'interrupt', thread_id }),
  ({ bench, known }, pick) => bench.engine.deliver({ type: 'cancel', run_id: of(pick, known) }),
  ({ bench, known }, pick) => bench.decide(of(pick, known), CALL),
  ({ bench, known }, pick) => bench.decide(of(pick, known), CALL, { action: 'cancel' }),
  ({ bench, known }, pick) => bench.decide(of(pick, known), CALL, { decision_id: 'the same' }),
  async (scene, pick) => scene.clock.advance(of(pick, [100, 600, 1_000])),
  (scene, pick) =>
    scene.start(of(pick, ['next', 'think', 'once', 'three', 'approve', 'doubt', 'flaky']), {
      on_busy: of(pick, ['interrupt', 'enqueue', 'reject', 'rollback']),
      priority: of(pick, [1, 128, 255]),
    }),
];

async function play(scene: Scene, pick: Dice): Promise<void> {
  const crashAt = pick(3) === 0 ? pick(6) : -1;
  let underWay: Promise<unknown>[] = [];
  for (let i = 0, verbs = 2 + pick(5); i < verbs; i++) {
    if (i === crashAt) {
      await scene.crash();
      underWay = []; // The dead answer nobody.
    }
    const done = of(pick, VERBS)(scene, pick).catch(tolerate);
    underWay.push(done);
    const pace = pick(3);
    if (pace === 0) await done;
    for (let turns = pick(4); pace === 1 && turns > 0; turns--) await nextTurn();
  }
  await Promise.all(underWay);
}

test(`${SEEDS} histories of verbs`, { timeout: 600_000 }, async () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const pick = dice(seed);
    const scene = await Scene.open();
    try {
      await scene.enter(of(pick, STATES));
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
