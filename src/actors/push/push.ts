/** The push commands of the engine: who is told of a run, and what was given up (`types.ts`). */

import { badRequest, runNotFound } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Reads } from '../../store/reads.js';
import type { Answers, PushCommand } from '../engine.js';
import { noted, type Note } from '../audit/note.js';
import { putRow } from '../host/rows.js';
import type { LocatedRun, Runtime } from '../host/runtime.js';
import { withConfig, withoutConfig } from './configs.js';
import { deadLetterNotFound, graveOf, revive } from './dead-letters.js';
import type { DeadPush, PushConfig } from './types.js';

type Of<T extends PushCommand['type']> = Extract<PushCommand, { type: T }>;

/** `isOffered`: there is somebody who delivers. */
export class Pushes {
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

  /** Undefined when there is no such run. */
  async read(run_id: string): Promise<PushConfig[] | undefined> {
    const found = await this.runtime.locate(run_id);
    return found && readConfigs(this.runtime.parts.readStore, found.rno);
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

  /** Changes the receivers of a run; the answer is who they were. */
  async #change(run_id: string, change: (configs: PushConfig[]) => PushConfig[]): Promise<PushConfig[]> {
    const found = await this.runtime.locate(run_id);
    if (!found) throw runNotFound(run_id);
    const stored = await readConfigs(this.runtime.parts.readStore, found.rno);
    return this.#write(found, stored, change);
  }

  async #write(
    { rno, tno, record }: LocatedRun,
    stored: PushConfig[],
    change: (configs: PushConfig[]) => PushConfig[],
  ): Promise<PushConfig[]> {
    const before = await this.runtime.withThread(
      ({ threads }) => threads.byOrdinal(tno),
      (host) =>
        host.request((draft) => {
          const isOpen = draft.get(`r${rno}`) !== undefined && draft.get(`r${rno}`)!.status !== 'done';
          const configs = isOpen ? (draft.get(`p${rno}`) ?? []) : stored;
          if (isOpen) draft.set(`p${rno}`, change(configs));
          else draft.rows.push(putRow(keys.push(rno), change(configs)));
          return () => configs;
        }),
    );
    if (!before) throw runNotFound(record.run_id);
    return before;
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
