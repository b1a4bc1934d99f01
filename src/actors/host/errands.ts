/**
 * What the rows of an outbox ask for, and how long each is worth trying.
 *
 * `run` resolves when the errand is done or can never be done, so that its row may go, and rejects when it may be done
 * later. Each kind is harmless when it is run twice: a row is deleted only after it was run, so a crash repeats it.
 */

import { InferenceError, type AgentRegistry } from '../../agents/types.js';
import { AgentServerError, ErrorCode } from '../../errors.js';
import type { OutboxCell } from './draft.js';

export type Errands = {
  run(cell: OutboxCell): Promise<void>;
  /** Milliseconds until the next attempt after so many failed ones; null: it is given up. */
  pauseAfter(cell: OutboxCell, failures: number): number | null;
};

export type ErrandDeps = {
  agents: AgentRegistry;
  /** Starts the run; false when its thread is gone. */
  start(this: void, start: Extract<OutboxCell, { start: unknown }>['start']): Promise<boolean>;
};

const RETRY_MS = 1_000;
const LONGEST_MS = 60_000;
/** A task at a remote that cannot be reached for this long (about two hours) has to end by itself. */
const STOP_ATTEMPTS = 120;

export const errandsOf = ({ agents, start }: ErrandDeps): Errands => ({
  async run(cell) {
    if ('start' in cell) return startElsewhere(cell.start, start);
    const { agent_id, task } = cell.stop;
    await agents
      .get(agent_id)
      ?.remote?.cancel(task)
      .catch((error: unknown) => {
        if (!(error instanceof InferenceError) || error.retryable) throw error;
      });
  },
  pauseAfter(cell, failures) {
    if ('start' in cell) return RETRY_MS;
    return failures >= STOP_ATTEMPTS ? null : Math.min(LONGEST_MS, RETRY_MS * 2 ** (failures - 1));
  },
});

/** A start that is there already, by its run id, is done. */
async function startElsewhere(
  start: Extract<OutboxCell, { start: unknown }>['start'],
  deliver: ErrandDeps['start'],
): Promise<void> {
  try {
    await deliver(start);
  } catch (error) {
    if (!(error instanceof AgentServerError && error.code === ErrorCode.conflict)) throw error;
  }
}
