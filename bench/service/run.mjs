/** The scenarios that have no baselines: each on a server of its own, with fresh data. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureLists } from '../scale/lists.mjs';
import { measureRecovery } from '../scale/recovery.mjs';
import { Subject } from '../scale/subject.mjs';
import { idleReaders, interrupts, manyReaders, resumeLong } from './measure.mjs';

const CONFIG = fileURLToPath(new URL('../servers/subject.config.mjs', import.meta.url));

/** @param {boolean} quick */
const sizes = (quick) => ({
  readers: { readers: quick ? 300 : 1_000, events: 2_000 },
  idle: { readers: quick ? 500 : 4_000 },
  resume: { events: quick ? 20_000 : 100_000, times: 30 },
  interrupt: { times: quick ? 30 : 100 },
  lists: {
    ...{ runs: quick ? 100_000 : 1_000_000, threads: quick ? 10_000 : 100_000, queries: 500, checked: 30 },
    ...{ changes: 500, seed: 1, rest: quick ? 0 : 90 },
  },
  recovery: { open: quick ? 2_000 : 10_000 },
});

/** Runs those of the chosen scenarios that are here. @param {readonly string[]} chosen
 * @param {{ quick: boolean, directory: string, say(line: string): void }} how */
export async function measureService(chosen, { quick, directory, say }) {
  const size = sizes(quick);
  /** @template T @param {string} name @param {(server: Subject) => Promise<T>} measure @returns {Promise<T | undefined>} */
  const on = async (name, measure) => {
    if (!chosen.includes(name)) return undefined;
    const data = join(directory, `service-${name}`);
    await mkdir(data);
    const server = await Subject.start({ data, config: CONFIG });
    try {
      return await measure(server);
    } finally {
      await server.stop();
    }
  };
  const scale = { directory, say };
  return {
    readers: await on('readers', (server) => manyReaders(server, size.readers)),
    idle: await on('idle', (server) => idleReaders(server, size.idle)),
    resume: await on('resume', (server) => resumeLong(server, size.resume)),
    interrupt: await on('interrupt', (server) => interrupts(server, size.interrupt)),
    lists: chosen.includes('lists') ? await measureLists({ ...size.lists, ...scale }) : undefined,
    recovery: chosen.includes('recovery') ? await measureRecovery({ ...size.recovery, ...scale }) : undefined,
  };
}
