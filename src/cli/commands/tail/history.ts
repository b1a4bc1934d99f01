/** What has happened on the server since a moment, out of the stored logs. */

import { CliError, type Client, type Query, type RunEvent, type RunRecord } from '../../client/index.js';
import { eventPages, offsetPages, PAGE } from '../../lists/pages.js';

const GONE = [404, 410];

/** The events of all runs the query means, from unix milliseconds `from` on, by time; those of a run in order. */
export async function eventsSince(client: Client, query: Query, from: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const { items } of offsetPages<RunRecord>(client, '/v1/runs')({ ...query, updated_at_from: from }, PAGE)) {
    for (const { run_id } of items) await collectFrom(client, run_id, from, events);
  }
  return events.sort((a, b) => a.timestamp_ms - b.timestamp_ms || (a.run_id === b.run_id ? a.seq - b.seq : 0));
}

/** A run that was removed meanwhile, or whose log was, has nothing to tell. */
async function collectFrom(client: Client, run: string, from: number, into: RunEvent[]): Promise<void> {
  try {
    for await (const { items } of eventPages(client, run)({}, PAGE)) {
      into.push(...items.filter(({ timestamp_ms }) => timestamp_ms >= from));
    }
  } catch (error) {
    if (!(error instanceof CliError && error.status !== undefined && GONE.includes(error.status))) throw error;
  }
}
