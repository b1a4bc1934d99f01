/** A server with the watched agents, for the tests of this folder. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchServer, startServer, type ServeOptions, type ServerProcess } from '../support/server-process.js';
import { tempDir } from '../support/temp-dir.js';

const CONFIG = fileURLToPath(new URL('agents.mjs', import.meta.url));

/** Where a server keeps its data, and where its tools and its model write what they do. */
export type Place = { data: string; ledger: string };

export async function newPlace(): Promise<Place> {
  return { data: await tempDir(), ledger: join(await tempDir(), 'ledger') };
}

const options = ({ data, ledger }: Place, boot: number): ServeOptions => ({
  data,
  args: ['--config', CONFIG, '--log-level', 'error'],
  env: { CHAOS_LEDGER: ledger, CHAOS_BOOT: String(boot) },
});

/** Starts a server and waits for its ready line. `boot` counts the servers of one place, for the ledger. */
export const serve = (place: Place, boot = 1): Promise<ServerProcess> => startServer(options(place, boot));

/** The same without waiting. */
export const launch = (place: Place, boot: number): ReturnType<typeof launchServer> =>
  launchServer(options(place, boot));
