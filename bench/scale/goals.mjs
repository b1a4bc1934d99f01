/** What was measured against what was promised. Pure. */

import { atMost, exact, noted } from '../lib/goals.mjs';

/** @typedef {import('../lib/goals.mjs').Goal} Goal
 *  @typedef {Awaited<ReturnType<typeof import('./lists.mjs').measureLists>>} Lists
 *  @typedef {Awaited<ReturnType<typeof import('./recovery.mjs').measureRecovery>>} Recovery */

/** @param {{ lists: Lists | undefined, recovery: Recovery | undefined }} results @returns {Goal[]} */
export const goalsOf = ({ lists, recovery }) => [
  ...(lists
    ? [
        atMost('start from blocks: routes open', lists.start.from_blocks.routes_open_ms, 1000, 'ms'),
        atMost('start after kill -9: routes open', lists.start.after_kill.routes_open_ms, 1000, 'ms'),
        noted('start of an empty server: routes open', lists.start.of_nothing.routes_open_ms, 'ms'),
        noted('start from blocks: lists whole', lists.start.from_blocks.lists_whole_ms, 'ms'),
        noted('start after kill -9: lists whole', lists.start.after_kill.lists_whole_ms, 'ms'),
        noted('start of an empty server: CPU until then', lists.start.of_nothing.routes_open_cpu_ms ?? NaN, 'ms'),
        noted('start from blocks: CPU until then', lists.start.from_blocks.routes_open_cpu_ms ?? NaN, 'ms'),
        noted('start from blocks: CPU until lists are whole', lists.start.from_blocks.lists_whole_cpu_ms ?? NaN, 'ms'),
        noted('memory of an empty server, RSS', megabytes(lists.memory.of_nothing?.now), 'MB'),
        atMost('memory behind a start, RSS', megabytes(lists.memory.start?.now), 300, 'MB'),
        noted('of it files that the system could read again', megabytes(lists.memory.start?.files), 'MB'),
        atMost('memory behind the pages and runs, RSS', megabytes(lists.memory.use?.now), 300, 'MB'),
        noted('of it files that the system could read again', megabytes(lists.memory.use?.files), 'MB'),
        atMost(`memory ${lists.memory.rest.seconds} s later, RSS`, megabytes(lists.memory.rest.now), 300, 'MB'),
        noted('of it files that the system could read again', megabytes(lists.memory.rest.files), 'MB'),
        noted('page of a list, CPU', lists.page_cpu_ms, 'ms'),
        noted('page of a list, p50', lists.pages.ms.p50, 'ms'),
        atMost('page of a list, p99', lists.pages.ms.p99, 20, 'ms'),
        atMost('page of pending approvals, p99', lists.approvals.ms.p99, 20, 'ms'),
        exact('totals and pages are exact', lists.exact),
      ]
    : []),
  ...(recovery
    ? [
        atMost(`recovery of ${recovery.open} open runs: routes open`, recovery.routes_open_ms, 1000, 'ms'),
        atMost('all that were running are running again', recovery.running_again_ms, 5000, 'ms'),
        noted('all that wait for nobody have ended', recovery.all_ended_ms, 'ms'),
        exact('nothing was lost', recovery.exact),
      ]
    : []),
];

/** NaN where the system did not say. @param {number | undefined} bytes */
const megabytes = (bytes = NaN) => bytes / 1e6;
