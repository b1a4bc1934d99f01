/**
 * Opens the engine of this process: on a data directory (LevelDB), or in memory for tests and trials.
 *
 * Refuses, with nothing changed: a directory another process has open (`StoreLocked`), data of a newer format or foreign
 * data (`FormatError`).
 */

import type { AgentRegistry } from '../agents/types.js';
import { boundlessDisk, type DiskGuard, type DiskOptions } from '../store/disk.js';
import { openFormat } from '../store/format.js';
import { Journal } from '../store/journal.js';
import { Durability } from '../store/level.js';
import { MemoryStore } from '../store/memory.js';
import { openDirectory } from '../store/open.js';
import { Ordinals } from '../store/ordinals.js';
import type { Store } from '../store/port.js';
import { limitReads } from '../store/reads.js';
import { EmbeddedEngine } from './embedded-engine.js';
import { systemClock, type Clock } from './time/clock.js';
import type { DeliverPush } from './push/types.js';
import { defaultLimits, type RuntimeLimits } from './host/limits.js';
import { silentLogger, type Logger } from './logger.js';

export type EngineOptions = {
  /**
   * A data directory, created when it is not there; memory that ends with the process; or a store that is already open.
   * `process`: a commit survives the end of the process, not that of the machine. Default `disk`.
   */
  store: { dir: string; durability?: Durability } | { memory: true } | Store;
  agents: AgentRegistry;
  limits?: Partial<RuntimeLimits>;
  clock?: Clock;
  logger?: Logger;
  disk?: DiskOptions;
  /** Milliseconds that a run's events are kept after its end. Default `null`: for ever. */
  events_ms?: number | null;
  /** The directory that holds all backups. Default `null`: none can be made. */
  backup_dir?: string | null;
  /** Tells receivers of push notifications. Default `null`: none may be named. */
  deliverPush?: DeliverPush | null;
  /** The store can no longer be trusted or written, and never will be: the process must end. */
  onFatal?: (error: unknown) => void;
};

/** Opens the store and reads what is open in it; resolves when requests may come. Recovery goes on in the background. */
export async function openEngine(options: EngineOptions): Promise<EmbeddedEngine> {
  const { logger = silentLogger } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const { store, disk } = await openStore(options.store, options.disk);
  try {
    await openFormat(store);
    const journal = await Journal.open(store, { maxWaiting: limits.uncommitted_bytes, disk });
    journal.onStatus((status, cause) => {
      if (status === 'degraded')
        logger.error({ err: cause }, 'a commit failed: refusing new work until the store is open again');
      if (status === 'open') logger.info({}, 'the store is open again');
      if (status === 'closed' && cause !== undefined) options.onFatal?.(cause);
    });
    const engine = new EmbeddedEngine({
      store,
      readStore: limitReads(store),
      journal,
      ordinals: { thread: await Ordinals.open(store, 'thread'), run: await Ordinals.open(store, 'run') },
      agents: options.agents,
      clock: options.clock ?? systemClock(),
      limits,
      logger,
      events_ms: options.events_ms ?? null,
      backup_dir: options.backup_dir ?? null,
      deliverPush: options.deliverPush ?? null,
    });
    await engine.start();
    return engine;
  } catch (error) {
    await store.close().catch(() => {});
    throw error;
  }
}

async function openStore(
  where: EngineOptions['store'],
  disk?: DiskOptions,
): Promise<{ store: Store; disk: DiskGuard }> {
  if ('memory' in where) return { store: new MemoryStore(), disk: boundlessDisk };
  if (!('dir' in where)) return { store: where, disk: boundlessDisk };
  const { dir, durability = Durability.disk } = where;
  return openDirectory(dir, { durability, ...(disk ? { disk } : {}) });
}
