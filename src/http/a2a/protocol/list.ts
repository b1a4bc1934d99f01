/**
 * `ListTasks`: the tasks of an agent, newest first, a page at a time.
 *
 * A page ends at a moment and says how many tasks of that moment it has shown; the next one begins there. So tasks that
 * begin meanwhile move nothing.
 */

import { ListTasksResponse, TaskState, type ListTasksRequest } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Engine, RunFilter } from '../../../actors/engine.js';
import type { RunRecord } from '../../../actors/records.js';
import type { JsonObject } from '../../../json.js';
import { historyLength, taskOf } from './projection.js';
import { filtersFor } from './states.js';

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 100;

export async function listTasks(engine: Engine, agent_id: string, asked: ListTasksRequest): Promise<ListTasksResponse> {
  const size = pageSize(asked.pageSize);
  const filters = statesOf(asked).map((filter) => ({ ...filter, ...rangeOf(asked), agent_id }));
  const history_length = historyLength(asked.historyLength);
  const from = readToken(asked.pageToken);
  const [found, totals] = await Promise.all([
    Promise.all(filters.map((filter) => newest(engine, filter, from, size + 1))),
    Promise.all(filters.map((filter) => count(engine, filter))),
  ]);
  const runs = found
    .flat()
    .sort(newestFirst)
    .slice(from?.shown ?? 0);
  const page = runs.slice(0, size);
  const wanted = { history_length, artifacts: asked.includeArtifacts ?? false };
  return {
    tasks: await Promise.all(page.map((run) => taskOf(engine, run, wanted))),
    nextPageToken: runs.length > size ? writeToken(page, from) : '',
    pageSize: size,
    totalSize: totals.reduce((sum, total) => sum + total, 0),
  };
}

/** The answer with the fields that the protocol wants there also when they are empty. */
export const listedTasks = (listed: ListTasksResponse): JsonObject => ({
  tasks: [],
  nextPageToken: '',
  pageSize: listed.pageSize,
  totalSize: 0,
  ...(ListTasksResponse.toJSON(listed) as JsonObject),
});

function pageSize(given: number | undefined): number {
  const size = given ?? DEFAULT_PAGE;
  if (Number.isInteger(size) && size >= 1 && size <= LARGEST_PAGE) return size;
  throw new RequestMalformedError(`pageSize: expected an integer from 1 to ${LARGEST_PAGE}`);
}

function statesOf({ status }: ListTasksRequest): RunFilter[] {
  const filters = filtersFor(status);
  if (filters.length > 0) return filters;
  throw new RequestMalformedError(`status: tasks cannot be listed by ${TaskState[status] ?? 'an unknown state'}`);
}

function rangeOf({ contextId, statusTimestampAfter }: ListTasksRequest): RunFilter {
  const after = statusTimestampAfter ? Date.parse(statusTimestampAfter) : undefined;
  if (Number.isNaN(after)) throw new RequestMalformedError('statusTimestampAfter: expected a time in ISO 8601');
  return {
    ...(contextId ? { thread_id: contextId } : {}),
    ...(after === undefined ? {} : { updated_at_from: after }),
  };
}

async function newest(engine: Engine, filter: RunFilter, from: Mark | undefined, size: number): Promise<RunRecord[]> {
  const bound = from ? { created_at_to: from.at } : {};
  const limit = size + (from?.shown ?? 0);
  return (await engine.list<'runs'>({ kind: 'runs', ...filter, ...bound, order: 'desc', offset: 0, limit })).items;
}

const count = async (engine: Engine, filter: RunFilter): Promise<number> =>
  (await engine.list<'runs'>({ kind: 'runs', ...filter, offset: 0, limit: 1 })).total;

const newestFirst = (a: RunRecord, b: RunRecord): number =>
  b.created_at - a.created_at || (a.run_id < b.run_id ? 1 : -1);

/** Where a page ended: a moment, unix milliseconds, and how many tasks of that moment were shown. */
type Mark = { at: number; shown: number };

function writeToken(page: readonly RunRecord[], from: Mark | undefined): string {
  const at = page.at(-1)!.created_at;
  const shown = page.filter(({ created_at }) => created_at === at).length + (from?.at === at ? from.shown : 0);
  return Buffer.from(`${at}.${shown}`).toString('base64url');
}

function readToken(token: string): Mark | undefined {
  if (token === '') return undefined;
  const [, at, shown] = /^(\d{1,15})\.(\d{1,6})$/.exec(Buffer.from(token, 'base64url').toString('latin1')) ?? [];
  if (at === undefined) throw new RequestMalformedError('pageToken: it is none of this server');
  return { at: Number(at), shown: Number(shown) };
}
