/** What an operator sees of a thread in memory. Contexts are left out here: they may hold arguments. */

import type { LiveActor } from '../engine.js';
import { machines } from '../machines/index.js';
import type { ActorCell } from './draft.js';
import type { ThreadHost } from './thread-host.js';

export function inspectHost(host: ThreadHost): LiveActor[] {
  const actors: LiveActor[] = [];
  for (const [key, value] of host.cells.values) {
    if (key[0] !== 'a') continue;
    const { kind, snapshot, fx } = value as ActorCell;
    actors.push({
      id: `${host.tno}/${key.slice(1)}`,
      kind,
      machine: `${kind}@${machines[kind].version}`,
      value: snapshot.value,
      thread_id: host.thread_id,
      effects: Object.entries(fx).map(([id, { src, due }]) => (due === undefined ? { id, src } : { id, src, due })),
    });
  }
  return actors;
}
