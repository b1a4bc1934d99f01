/** What has happened on the server since a moment, out of the stored logs. */

import { CliError, type Client, type Query, type RunEvent, type RunRecord } from '../../client/index.js';
import { eventPages, offsetPages, PAGE } from '../../lists/pages.js';

export type Since = {
  /** Unix milliseconds. */
  from: number;
  /** The last event of a run that is known, -1 for none. */
  lastOf: (run: string) => number;
};

const GONE = [404, 410];

/** The events of all runs the query means, by time; those of a run in order. */
export async function eventsSince(client: Client, query: Query, since: Since): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for (const run of await runsSince(client, query, since.from)) {
    const last = since.lastOf(run);
    // Of a run that is known everything behind the last event is missing, whatever the time.
    const from = last < 0 ? since.from : 0;
    for (const event of await eventsOf(client, run, last)) if (event.timestamp_ms >= from) events.push(event);
  }
  return events.sort((a, b) => a.timestamp_ms - b.timestamp_ms || (a.run_id === b.run_id ? a.seq - b.seq : 0));
}

/** A record changes with the status of its run, not with its events: a run that is active may have told anything. */
async function runsSince(client: Client, query: Query, from: number): Promise<Set<string>> {
  const runs = new Set<string>();
  for (const which of [{ updated_at_from: from }, { status: 'running' }, { status: 'waiting' }]) {
    for await (const { items } of offsetPages<RunRecord>(client, '/v1/runs')({ ...query, ...which }, PAGE)) {
      for (const { run_id } of items) runs.add(run_id);
    }
  }
  return runs;
}

/** A run that was removed meanwhile, or whose log was, has nothing to tell. */
async function eventsOf(client: Client, run: string, after: number): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  try {
    for await (const { items } of eventPages(client, run)({ after }, PAGE)) events.push(...items);
  } catch (error) {
    if (!(error instanceof CliError && error.status !== undefined && GONE.includes(error.status))) throw error;
  }
  return events;
}
