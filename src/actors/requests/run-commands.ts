/** Commands for a run that exists, each handed to the thread it is on (CONTRACT 1.10, 1.13). */

import { runNotActive, runNotFound } from '../../errors.js';
import { noted, type Note } from '../audit/note.js';
import type { Answers } from '../engine.js';
import type { Draft } from '../thread/draft.js';
import type { LocatedRun, Runtime } from '../host/runtime.js';
import type { ThreadHost } from '../thread/thread-host.js';
import type { RunRecord } from '../records.js';
import { decide, type Decided } from './decide.js';
import { cancelRun } from './stop.js';

export class RunCommands {
  constructor(private readonly runtime: Runtime) {}

  /** Throws `run_not_active` when the run has ended. */
  async cancel(run_id: string, detail: string | null, note?: Note): Promise<Answers['cancel']> {
    const found = await this.#find(run_id);
    if (found.record.status === 'done') throw runNotActive();
    return this.#change(found, note, (draft, { tno, nextToken: next }) =>
      cancelRun(draft, run_id, detail, { tno, next }),
    );
  }

  /** Decisions that were applied before are acknowledged also when the run has ended (CONTRACT 11). */
  async decide(run_id: string, decided: Decided, note?: Note): Promise<Answers['decide']> {
    return this.#change(await this.#find(run_id), note, (draft, { nextToken: next }) =>
      decide(draft, run_id, decided, { next }),
    );
  }

  async #find(run_id: string): Promise<LocatedRun> {
    const found = await this.runtime.locate(run_id);
    if (!found) throw runNotFound(run_id);
    return found;
  }

  async #change(
    { rno, tno, record }: LocatedRun,
    note: Note | undefined,
    change: (draft: Draft, host: ThreadHost) => void,
  ): Promise<{ run: RunRecord }> {
    const answer = await this.runtime.withThread(
      ({ threads }) => threads.byOrdinal(tno),
      (host) =>
        host.request(
          noted(note, host, (draft) => {
            change(draft, host);
            return () => ({ run: host.cells.get(`r${rno}`) ?? record });
          }),
        ),
    );
    if (!answer) throw runNotFound(record.run_id);
    return answer;
  }
}
