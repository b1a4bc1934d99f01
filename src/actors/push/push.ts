/** The push commands of the engine: who is told of a run, and what was given up (`types.ts`). */

import { badRequest, runNotFound } from '../../errors.js';
import * as keys from '../../store/keys.js';
import { Turns, type Reads } from '../../store/reads.js';
import type { Answers, PushCommand } from '../engine.js';
import { noted, type Note } from '../audit/note.js';
import type { Draft } from '../thread/draft.js';
import { putRow } from '../thread/rows.js';
import type { LocatedRun, Runtime } from '../host/runtime.js';
import { withConfig, withoutConfig } from './configs.js';
import { deadLetterNotFound, graveOf, revive } from './dead-letters.js';
import type { DeadPush, PushConfig } from './types.js';

type Change = (configs: PushConfig[]) => PushConfig[];
type Of<T extends PushCommand['type']> = Extract<PushCommand, { type: T }>;

/** `isOffered`: there is somebody who delivers. */
export class Pushes {
  /** What an ended run has is read before it is changed: one at a time. */
  readonly #endedRuns = new Turns(1);

  constructor(
    private readonly runtime: Runtime,
    private readonly isOffered: boolean,
  ) {}

  dispatch(command: PushCommand, note?: Note): Promise<Answers[PushCommand['type']]> {
    switch (command.type) {
      case 'set_push':
        return this.#set(command);
      case 'delete_push':
        return this.#delete(command);
      case 'retry_push':
        return this.#retry(command, note);
    }
  }

  async #set({ run_id, config }: Of<'set_push'>): Promise<Answers['set_push']> {
    if (!this.isOffered) throw badRequest('push notifications are not supported');
    await this.#change(run_id, (configs) => withConfig(configs, config));
    return { config };
  }

  async #delete({ run_id, config_id }: Of<'delete_push'>): Promise<Answers['delete_push']> {
    const before = await this.#change(run_id, (configs) => withoutConfig(configs, config_id));
    return { deleted: before.some(({ id }) => id === config_id) };
  }

  /** Changes the receivers of a run; the answer is who they were. Of changes at the same time none is lost. */
  async #change(run_id: string, change: Change): Promise<PushConfig[]> {
    const found = await this.runtime.locate(run_id);
    if (!found) throw runNotFound(run_id);
    return (await this.#changeOpen(found, change)) ?? this.#endedRuns.run(() => this.#changeEnded(found, change));
  }

  /** Undefined when the run has ended: its receivers are no part of the thread's state any more. */
  #changeOpen(found: LocatedRun, change: Change): Promise<PushConfig[] | undefined> {
    const { rno } = found;
    return this.#request(found, (draft) => {
      const run = draft.get(`r${rno}`);
      if (!run || run.status === 'done') return undefined;
      const configs = draft.get(`p${rno}`) ?? [];
      draft.set(`p${rno}`, change(configs));
      return configs;
    });
  }

  async #changeEnded(found: LocatedRun, change: Change): Promise<PushConfig[]> {
    const stored = await readConfigs(this.runtime.parts.readStore, found.rno);
    return this.#request(found, (draft) => {
      draft.rows.push(putRow(keys.push(found.rno), change(stored)));
      return stored;
    });
  }

  async #request<T>({ tno, record }: LocatedRun, handle: (draft: Draft) => T): Promise<T> {
    const done = await this.runtime.withThread(
      ({ threads }) => threads.byOrdinal(tno),
      (host) =>
        host.request((draft) => {
          const answer = handle(draft);
          return () => ({ answer });
        }),
    );
    if (!done) throw runNotFound(record.run_id);
    return done.answer;
  }

  async #retry({ dead_letter_id }: Of<'retry_push'>, note: Note | undefined): Promise<Answers['retry_push']> {
    const grave = graveOf(dead_letter_id);
    const row = await this.runtime.parts.readStore.get(keys.deadPush(grave.tno, grave.n));
    if (row === undefined) throw deadLetterNotFound(dead_letter_id);
    const dead = JSON.parse(row) as DeadPush;
    const done = await this.runtime.withThread(
      ({ threads }) => threads.byOrdinal(grave.tno),
      (host) =>
        host.request(
          noted(note, host, (draft) => {
            revive(draft, grave, dead);
            return () => true;
          }),
        ),
    );
    if (!done) throw deadLetterNotFound(dead_letter_id);
    return { run_id: dead.news.run.run_id };
  }
}

/** Who is told of a run, as of the last commit. */
export async function readConfigs(store: Reads, rno: number): Promise<PushConfig[]> {
  const row = await store.get(keys.push(rno));
  return row === undefined ? [] : (JSON.parse(row) as PushConfig[]);
}
