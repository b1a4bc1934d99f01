/** What is compared: how each server is started, and how a run is asked of it. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `commits`: which events of a run are durable when its client has them all: none, or all of them before they are sent,
 * or those at its edges.
 * @typedef {{ name: import('./options.mjs').TargetName, what: string, durable: 'none' | 'edges' | 'all',
 *   data: string | null, args: string[], path(paced: boolean): string, agent(paced: boolean): string }} Target
 */

/** @param {string} file */
const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** @param {boolean} paced */
const baselinePath = (paced) => (paced ? '/paced' : '/');

/** @param {string} directory where the servers keep their data @param {string[]} nodeArgs for the subject @returns {Target[]} */
export const targets = (directory, nodeArgs) => [
  {
    name: 'node',
    what: 'bare node:http, nothing durable',
    durable: 'none',
    data: null,
    args: [here('servers/bare.mjs')],
    path: baselinePath,
    agent: () => 'assistant',
  },
  {
    name: 'koa',
    what: 'Koa 3, nothing durable',
    durable: 'none',
    data: null,
    args: [here('servers/koa.mjs')],
    path: baselinePath,
    agent: () => 'assistant',
  },
  {
    name: 'koa-level',
    what: 'Koa 3 + LevelDB, fsynced at start and end of a run',
    durable: 'edges',
    data: join(directory, 'koa-level'),
    args: [here('servers/koa-level.mjs'), join(directory, 'koa-level')],
    path: baselinePath,
    agent: () => 'assistant',
  },
  {
    name: 'agent-server',
    what: 'bin/agent-server serve, every event durable before it is sent',
    durable: 'all',
    data: join(directory, 'agent-server'),
    args: [
      ...nodeArgs,
      here('../bin/agent-server'),
      'serve',
      ...['--port', '0', '--data', join(directory, 'agent-server'), '--config', here('servers/subject.config.mjs')],
    ],
    path: () => '/v1/runs',
    agent: (paced) => (paced ? 'paced' : 'assistant'),
  },
];
