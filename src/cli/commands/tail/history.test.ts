import { describe, expect, it } from 'vitest';
import { CliError, ExitCode, type Client, type Query } from '../../client/index.js';
import { eventsSince } from './history.js';

/** Runs with the time each record was changed, its status, and the times of its events. */
const fleet: Record<string, { updated_at: number; status: string; times: number[] }> = {
  ended: { updated_at: 120, status: 'done', times: [90, 110, 120] },
  long: { updated_at: 10, status: 'running', times: [10, 105, 130] },
  asks: { updated_at: 20, status: 'waiting', times: [20, 104] },
  past: { updated_at: 30, status: 'done', times: [15, 30] },
  gone: { updated_at: 140, status: 'done', times: [] },
};

const client = {
  page: async (_path: string, { updated_at_from = 0, status }: Query) => {
    const found = Object.entries(fleet).filter(
      ([, run]) => run.updated_at >= Number(updated_at_from) && (status === undefined || run.status === status),
    );
    return { items: found.map(([run_id]) => ({ run_id })), total: found.length, has_more: false };
  },
  events: async (run: string, { after }: Query) => {
    if (run === 'gone') throw new CliError(ExitCode.notFound, 'events expired', { status: 410 });
    const events = fleet[run]!.times.map((timestamp_ms, seq) => ({ run_id: run, seq, timestamp_ms }));
    return { items: events.filter(({ seq }) => seq > Number(after)), has_more: false, next_after: null };
  },
} as unknown as Client;

const told = async (from: number, known: Record<string, number> = {}): Promise<string[]> => {
  const events = await eventsSince(client, {}, { from, lastOf: (run) => known[run] ?? -1 });
  return events.map(({ run_id, seq }) => `${run_id} ${seq}`);
};

describe('what has happened since', () => {
  it('is of runs that have changed since and of all that are active, by time', async () =>
    expect(await told(100)).toEqual(['asks 1', 'long 1', 'ended 1', 'ended 2', 'long 2']));

  it('is of a known run all that is missing, whatever its time', async () =>
    expect(await told(115, { ended: 0, long: 1 })).toEqual(['ended 1', 'ended 2', 'long 2']));
});
