/**
 * What the rows of an outbox ask for, and how long each is worth trying.
 *
 * `run` resolves when the errand is done or can never be done, so that its row may go, and rejects when it may be done
 * later. Each kind is harmless when it is run twice: a row is deleted only after it was run, so a crash repeats it.
 */

import type { AgentRegistry } from '../../agents/types.js';
import { InferenceError } from '../../agents/model-call.js';
import { ErrorCode, hasCode } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import { afterFailure } from '../push/attempts.js';
import { receiverOf, runPush } from '../push/errand.js';
import type { DeadPush, DeliverPush } from '../push/types.js';
import type { OutboxCell, RemoteNote, StartElsewhere } from '../thread/cells.js';
import type { Draft } from '../thread/draft.js';
import { putRow } from '../thread/rows.js';

/** What becomes of an errand that has failed. */
export type Verdict =
  /** Tried again; `row`: as which it is kept until then. */
  | { is: 'again'; in_ms: number; row?: OutboxCell }
  /** Given up; `bury` keeps what is left of it. */
  | { is: 'over'; bury?: (draft: Draft, tno: number, n: number) => void };

export type Errands = {
  run(cell: OutboxCell): Promise<void>;
  /** `failures`: of this errand since the process began. */
  failed(cell: OutboxCell, error: unknown, failures: number, now: number): Promise<Verdict>;
};

export type ErrandDeps = {
  agents: AgentRegistry;
  store: Reads;
  deliverPush: DeliverPush | null;
  /** Starts the run; false when its thread is gone. */
  start(this: void, start: StartElsewhere): Promise<boolean>;
};

const RETRY_MS = 1_000;
const LONGEST_MS = 60_000;
/** A task at a remote that cannot be reached for this long (about two hours) has to end by itself. */
const STOP_ATTEMPTS = 120;

/** The errands of this process. */
export const errandsOf = ({ agents, store, deliverPush, start }: ErrandDeps): Errands => ({
  async run(cell) {
    if ('start' in cell) return startElsewhere(cell.start, start);
    if ('stop' in cell) return stopTask(cell.stop, agents);
    return runPush(cell.push, deliverPush, store);
  },
  async failed(cell, error, failures, now) {
    if ('start' in cell) return { is: 'again', in_ms: isGone(error) ? LONGEST_MS : RETRY_MS };
    if ('stop' in cell)
      return failures >= STOP_ATTEMPTS
        ? { is: 'over' }
        : { is: 'again', in_ms: Math.min(LONGEST_MS, RETRY_MS * 2 ** (failures - 1)) };
    const { is, errand } = afterFailure(cell.push, error, now);
    if (is === 'again') return { is, in_ms: errand.due - now, row: { push: errand } };
    const dead: DeadPush = { ...errand, died_at: now, origin: await receiverOf(errand, store).catch(() => null) };
    return { is: 'over', bury: (draft, tno, n) => void draft.rows.push(putRow(keys.deadPush(tno, n), dead)) };
  },
});

/** The agent is not in the configuration of this process, and will not be; it may be in that of the next one. */
const isGone = (error: unknown): boolean => hasCode(error, ErrorCode.agentNotFound);

/** A start that is there already, by its run id, is done. */
async function startElsewhere(start: StartElsewhere, deliver: ErrandDeps['start']): Promise<void> {
  try {
    await deliver(start);
  } catch (error) {
    if (!hasCode(error, ErrorCode.conflict)) throw error;
  }
}

/** A remote that refuses for good, or an agent that is gone, is not asked again. */
async function stopTask({ agent_id, task }: RemoteNote, agents: AgentRegistry): Promise<void> {
  try {
    await agents.get(agent_id)?.remote?.cancel(task);
  } catch (error) {
    if (!(error instanceof InferenceError) || error.retryable) throw error;
  }
}
