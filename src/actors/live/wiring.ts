/** Where the inspector gets what it shows from the runtime. */

import type { AuditLog } from '../audit/audit-log.js';
import { loadThreadView } from '../thread/rows.js';
import type { Runtime } from '../host/runtime.js';
import { cellKey } from '../thread/apply.js';
import { Inspector } from './inspector.js';
import { Mailboxes } from './mailboxes.js';
import { Sampled } from './sampled.js';

/** Bytes on disk are looked at no more often than this. */
const DISK_MS = 10_000;
/** Dead letters are counted no more often than this. */
const DEAD_MS = 2_000;

/** The operators' view of this engine. */
export function inspectorOf(runtime: Runtime, audit: AuditLog): Inspector {
  const { clock, journal, readStore, store } = runtime.parts;
  const disk = new Sampled(() => store.usedBytes(), { every_ms: DISK_MS, now: () => clock.now() });
  const mailboxes = new Mailboxes({ store: readStore, isGone: (tno) => runtime.graves.has(tno) });
  const dead = new Sampled(() => mailboxes.countDead(), { every_ms: DEAD_MS, now: () => clock.now() });
  return new Inspector({
    live: runtime.live,
    now: () => clock.now(),
    store: readStore,
    isHot: (tno) => runtime.threads.hot(tno) !== undefined,
    hot(tno, path) {
      const host = runtime.threads.hot(tno);
      const cell = host?.cells.get(cellKey(path));
      return host && cell && { cell, runs: (token) => host.effects.isLive(token) };
    },
    locate: (run_id) => runtime.locate(run_id),
    async thread(thread_id) {
      const tno = await runtime.threadOrdinal(thread_id);
      return tno === undefined ? undefined : loadThreadView(readStore, tno);
    },
    audit,
    mailboxes,
    counts: () => ({
      threads: runtime.lists.threads.size,
      runs: runtime.lists.runs.size,
      commit_p99_ms: journal.stats().recentP99Ms,
      db_bytes: disk.value,
      dead_letters: dead.value ?? 0,
    }),
  });
}
