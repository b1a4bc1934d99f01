/** The engine port's contract on both stores: LevelDB in a directory, and memory. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disk } from '../store/memory-disk.js';
import { MemoryStore } from '../store/memory.js';
import { engineConformance } from './engine.conformance.js';
import { openEngine } from './open-engine.js';

engineConformance('in memory', async () => {
  const disk = new Disk();
  return {
    open: (agents, options) => openEngine({ store: new MemoryStore(disk), agents, ...options }),
    remove: async () => {},
  };
});

engineConformance('on LevelDB', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'agent-server-engine-'));
  return {
    open: (agents, options) =>
      openEngine({ store: { dir, durability: 'process' }, disk: { ballast: 0, lowWater: 0 }, agents, ...options }),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
});
