/**
 * Copies of the data while the server runs (CONTRACT 9.1): a server that is opened on one goes on with every open run as of
 * the moment the copy was begun.
 *
 * A copy goes into a directory of its own below the configured root, never anywhere else. One at a time; it rests as long
 * as it works, so that it leaves the disk to the runs, and it gives up when the disk has no room for new work.
 */

import { isAbsolute, relative, resolve, sep } from 'node:path';
import { AgentServerError, badRequest, ErrorCode, notInitialised, storageUnavailable } from '../errors.js';
import { copyStore } from '../store/copy.js';
import { DirectoryInUse } from '../store/errors.js';
import type { Journal } from '../store/journal.js';
import type { Store } from '../store/port.js';
import type { BackupReport } from './engine.js';
import { pause, type Clock } from './time/clock.js';

export type BackupsPort = {
  store: Pick<Store, 'range'>;
  journal: Pick<Journal, 'accepting'>;
  clock: Clock;
  /** The directory that holds all backups; null: there are none to be made. */
  root: string | null;
};

export class Backups {
  readonly #stop = new AbortController();
  #work: Promise<unknown> | null = null;

  constructor(private readonly port: BackupsPort) {}

  /**
   * Throws `forbidden` when no root is configured, `bad_request` for a name that leads out of it, `conflict` when something
   * is there or another backup is under way, `storage_unavailable` when the disk refuses: then nothing is left behind.
   */
  async make(name: string): Promise<BackupReport> {
    const directory = this.#directory(name);
    if (this.#work) throw new AgentServerError(ErrorCode.conflict, 'a backup is under way');
    const work = this.#copy(name, directory);
    this.#work = work.catch(() => {});
    try {
      return await work;
    } finally {
      this.#work = null;
    }
  }

  /** Gives up the one under way. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#work;
  }

  async #copy(name: string, directory: string): Promise<BackupReport> {
    const { store, clock } = this.port;
    const began = clock.now();
    let resumed = began;
    const mayGoOn = async (): Promise<void> => {
      const took = clock.now() - resumed;
      if (took > 0) await pause(clock, took, this.#stop.signal);
      if (this.#stop.signal.aborted) throw notInitialised();
      if (!this.port.journal.accepting()) throw storageUnavailable();
      resumed = clock.now();
    };
    try {
      const copied = await copyStore(store, directory, mayGoOn);
      return { dir: name, ...copied, duration_ms: clock.now() - began };
    } catch (error) {
      if (error instanceof AgentServerError) throw error;
      if (error instanceof DirectoryInUse)
        throw new AgentServerError(ErrorCode.conflict, `there is something in the directory already: ${name}`);
      throw storageUnavailable(error);
    }
  }

  #directory(name: string): string {
    const { root } = this.port;
    if (root === null) {
      throw new AgentServerError(ErrorCode.forbidden, 'forbidden: backups are not enabled, set server.backup_dir');
    }
    const directory = resolve(root, name);
    const path = relative(root, directory);
    const isInside = path !== '' && path !== '..' && !path.startsWith(`..${sep}`);
    if (isAbsolute(name) || !isInside || name.includes('\0')) {
      throw badRequest('dir: expected the path of a new directory below server.backup_dir');
    }
    // What a copy is called until it is whole: the next one of that name would remove it.
    if (path.split(sep).some((part) => part.endsWith('.partial'))) throw badRequest('dir: must not end in .partial');
    return directory;
  }
}
