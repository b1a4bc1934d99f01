/**
 * The store on disk: LevelDB through classic-level.
 *
 * - `durability: 'disk'` (the default) syncs each batch: a resolved one survives a power cut. `'process'` hands it to the
 *   operating system: it survives `kill -9` of the process, a power cut may take the last second.
 * - One handle per directory in the whole machine; a second one is refused with `StoreLocked`.
 * - A rejected batch breaks the handle for writing: LevelDB goes on to acknowledge writes behind a torn record and loses
 *   them at the next start. Reads go on with what was resolved. `reopen` replaces the handle; while it has none (the
 *   disk refused in the middle of it) reads are refused with `storage_unavailable`, as is a range that a reopen overtook.
 *
 * Batches are chained, never parallel: one that began before another failed could be acknowledged behind its torn
 * record. They are written through a chained batch, which costs the main thread a quarter to a tenth of an array batch.
 */

import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { storageUnavailable } from '../errors.js';
import { makeDirectory } from '../make-directory.js';
import { BALLAST } from './disk.js';
import { DirectoryUnusable, StoreLocked, StoreMissing } from './errors.js';
import { type Key, type Op, type Range, type Store, StoreBroken } from './port.js';

/** What a resolved batch survives. */
export const Durability = {
  /** A resolved batch survives a power cut. */
  disk: 'disk',
  /** A resolved batch survives the end of the process, not that of the machine. */
  process: 'process',
} as const;
export type Durability = (typeof Durability)[keyof typeof Durability];

export interface LevelOptions {
  durability?: Durability;
  /** Bytes LevelDB gathers in memory before it writes a table; below 16 MB its first level stalls the writer. */
  writeBufferSize?: number;
  /** `false`: a directory that holds no store is refused with `StoreMissing` and left as it is. */
  create?: boolean;
}

type Database = ClassicLevel<Key, string>;

type Handle =
  | { is: 'open'; db: Database }
  /** A batch failed: reads only. */
  | { is: 'broken'; db: Database; cause: unknown }
  /** Reads wait for its end. */
  | { is: 'reopening'; settled: Promise<unknown> }
  /** The last reopen failed after the old handle was closed. */
  | { is: 'missing'; cause: unknown }
  | { is: 'closed' };

/**
 * LevelDB maps each table it has open into memory and has up to a thousand open: with its defaults a process that reads
 * here and there grows by its whole store, up to 2 GB. With these it has 64 of them open, of 1 MB each once they are
 * compacted: a reading that comes upon another one pays some 15 µs for opening it.
 */
const TABLE_BYTES = 1024 * 1024;
/** The least LevelDB takes: 64 tables and ten other files. */
const OPEN_FILES = 74;
const READ_BYTES = 64 * 1024;
/**
 * Rows a range reads at once: few at first, because room for all of them is made in advance (64 bytes each) and given back
 * no sooner than the garbage collector finds the iterator, which to it is a trifle.
 */
const FIRST_ROWS = 32;
const READ_ROWS = 1000;
const nothing = (): void => {};

/**
 * Opens the directory, making it (for its owner alone) when it is not there. Throws `StoreLocked` when it is in use,
 * `DirectoryUnusable` when it cannot be made or not be written to.
 */
export async function openLevelStore(directory: string, options: LevelOptions = {}): Promise<Store> {
  if (options.create === false) await access(join(directory, 'CURRENT')).catch((cause) => missing(directory, cause));
  else await makeUsable(directory);
  return new LevelStore(directory, options, await openDatabase(directory, options));
}

async function makeUsable(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new DirectoryUnusable(directory, { cause });
  }
}

/** LevelDB itself would leave files behind where it finds nothing to open. */
function missing(directory: string, cause: unknown): never {
  const isNothing = ['ENOENT', 'ENOTDIR'].includes(codeOf(cause) as string);
  throw new (isNothing ? StoreMissing : DirectoryUnusable)(directory, { cause });
}

async function openDatabase(directory: string, options: LevelOptions): Promise<Database> {
  const db: Database = new ClassicLevel(directory, {
    keyEncoding: 'buffer',
    valueEncoding: 'utf8',
    writeBufferSize: options.writeBufferSize ?? 16 * 1024 * 1024,
    maxFileSize: TABLE_BYTES,
    maxOpenFiles: OPEN_FILES,
  });
  try {
    await db.open();
    return db;
  } catch (error) {
    if (codeOf((error as Error).cause) === 'LEVEL_LOCKED') throw new StoreLocked(directory, { cause: error });
    const reason = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
    throw new Error(`cannot open the store in ${directory}: ${reason}`, { cause: error });
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

/** The handle was closed under a read: a reopen or the end of the store overtook it. */
const overtaken = (error: unknown): boolean =>
  ['LEVEL_DATABASE_NOT_OPEN', 'LEVEL_ITERATOR_NOT_OPEN'].includes(codeOf(error) as string);

class LevelStore implements Store {
  #handle: Handle;
  #writes: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly directory: string,
    private readonly options: LevelOptions,
    db: Database,
  ) {
    this.#handle = { is: 'open', db };
  }

  get(key: Key): Promise<string | undefined> {
    return this.#read((db) => db.get(key));
  }

  getNow(key: Key): { value: string | undefined } | null {
    const handle = this.#handle;
    return handle.is === 'open' || handle.is === 'broken' ? { value: handle.db.getSync(key) } : null;
  }

  getMany(keys: Key[]): Promise<(string | undefined)[]> {
    return this.#read((db) => db.getMany(keys));
  }

  async *range({ gte, lt, reverse = false, limit = -1 }: Range): AsyncGenerator<[Key, string]> {
    const options = { gte, lt, reverse, limit, highWaterMarkBytes: READ_BYTES };
    const rows = await this.#read(async (db) => db.iterator(options));
    try {
      for (let size = FIRST_ROWS; ; size = READ_ROWS) {
        const page = await rows.nextv(size);
        if (page.length === 0) return;
        for (const row of page) yield row;
      }
    } catch (error) {
      throw overtaken(error) ? storageUnavailable(error) : error;
    } finally {
      await rows.close();
    }
  }

  batch(ops: Op[]): Promise<void> {
    return this.#inTurn(() => this.#write(ops));
  }

  reopen(): Promise<void> {
    return this.#inTurn(() => this.#reopen());
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.directory);
    return bavail * bsize;
  }

  async usedBytes(): Promise<number> {
    const names = (await readdir(this.directory)).filter((name) => name !== BALLAST);
    // LevelDB removes files at any time: one that is gone counts nothing.
    const sizes = await Promise.all(names.map((name) => sizeOf(join(this.directory, name))));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      const handle = this.#handle;
      this.#handle = { is: 'closed' };
      if ('db' in handle) await handle.db.close();
    });
  }

  async #write(ops: Op[]): Promise<void> {
    const handle = this.#handle;
    if (handle.is !== 'open') throw new StoreBroken(`the store is ${handle.is}`, { cause: causeOf(handle) });
    const batch = handle.db.batch();
    try {
      for (const op of ops) {
        if (op.type === 'put') batch.put(op.key, op.value);
        else batch.del(op.key);
      }
    } catch (error) {
      await batch.close(); // An operation that is no operation: nothing reached LevelDB.
      throw error;
    }
    try {
      await batch.write({ sync: this.options.durability !== Durability.process });
    } catch (cause) {
      this.#handle = { is: 'broken', db: handle.db, cause };
      throw cause;
    }
  }

  async #reopen(): Promise<void> {
    const old = this.#handle;
    if (old.is === 'closed') throw new StoreBroken('the store is closed');
    const opening = this.#replace('db' in old ? old.db : undefined);
    this.#handle = { is: 'reopening', settled: opening.catch(nothing) };
    try {
      this.#handle = { is: 'open', db: await opening };
    } catch (cause) {
      this.#handle = { is: 'missing', cause };
      throw cause;
    }
  }

  async #replace(old: Database | undefined): Promise<Database> {
    await old?.close();
    return openDatabase(this.directory, this.options);
  }

  /** A read that a reopen overtakes is made again on the new handle. */
  async #read<T>(read: (db: Database) => Promise<T>): Promise<T> {
    for (;;) {
      const db = await this.#readable();
      try {
        return await read(db);
      } catch (error) {
        if (!overtaken(error)) throw error;
        if ('db' in this.#handle && this.#handle.db === db) throw storageUnavailable(error);
      }
    }
  }

  async #readable(): Promise<Database> {
    if (this.#handle.is === 'reopening') await this.#handle.settled;
    const handle = this.#handle;
    if (handle.is === 'open' || handle.is === 'broken') return handle.db;
    throw storageUnavailable(causeOf(handle));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#writes.then(work);
    this.#writes = done.catch(nothing);
    return done;
  }
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );

const causeOf = (handle: Handle): unknown => ('cause' in handle ? handle.cause : undefined);
