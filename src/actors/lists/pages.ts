/**
 * Pages of the lists: the columns say which records, the store gives them.
 *
 * A record may change between the two. One that does not match any more, or is gone, is left out of the page and of the
 * total: no page ever shows what its filter excludes.
 */

import { threadNotFound } from '../../errors.js';
import * as keys from '../../store/keys.js';
import type { Key } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import type { Listed, ListQuery, RunFilter, ThreadFilter, ThreadView } from '../engine.js';
import type { Cut, Page } from '../page.js';
import { viewOf, type RunRow, type ThreadRow } from '../thread/rows.js';
import { listDeadLetters } from '../push/dead-letters.js';
import type { MailboxEntry, RunRecord } from '../records.js';
import { loadEntries, publicEntry } from '../requests/entries.js';
import { loadApproval } from './approval.js';
import type { Lists } from './lists.js';
import { summarise } from './summary.js';

export type PagesPort = {
  lists: Lists;
  store: Reads;
  /** The ordinal of a thread that is there. */
  threadOrdinal(thread_id: string): Promise<number | undefined>;
};

type Query<K extends ListQuery['kind']> = Extract<ListQuery, { kind: K }> & Cut;

export class Pages {
  constructor(private readonly port: PagesPort) {}

  async page(query: ListQuery & Cut): Promise<Page<Listed[ListQuery['kind']]>> {
    if (query.kind === 'mailbox') return this.#mailbox(query);
    if (query.kind === 'push_dead_letters') return listDeadLetters(this.port.store, query);
    await this.port.lists.ready;
    switch (query.kind) {
      case 'runs':
        return this.#runs(query);
      case 'threads':
        return this.#threads(query);
      case 'summaries':
        return this.#summaries(query);
      case 'approvals':
        return this.#approvals(query);
    }
  }

  async #runs({ kind: _, offset, limit, order, ...filter }: Query<'runs'>): Promise<Page<RunRecord>> {
    const tno = filter.thread_id === undefined ? undefined : await this.port.threadOrdinal(filter.thread_id);
    const found = this.port.lists.runs.select(filter, { offset, limit }, order, tno);
    const rows = await this.#rows<RunRow>(found.ordinals.map(keys.run));
    const items = rows.flatMap((row) => {
      if (!row) return [];
      const { tno: _, ...run } = row;
      return isRunOf(filter, run) ? [run] : [];
    });
    return pageOf(items, found, offset);
  }

  async #threads({ kind: _, offset, limit, order, ...filter }: Query<'threads'>): Promise<Page<ThreadView>> {
    const found = this.port.lists.threads.select(filter, { offset, limit }, order);
    const views = await this.#views(filter, found.ordinals);
    return pageOf(
      views.map(({ view }) => view),
      found,
      offset,
    );
  }

  async #summaries({ kind: _, offset, limit, ...filter }: Query<'summaries'>): Promise<Page<Listed['summaries']>> {
    const found = this.port.lists.threads.selectNewest(filter, { offset, limit });
    const views = await this.#views(filter, found.ordinals);
    return pageOf(await summarise(this.port.store, views), found, offset);
  }

  async #mailbox({ thread_id, status, origin, offset, limit }: Query<'mailbox'>): Promise<Page<MailboxEntry>> {
    const tno = await this.port.threadOrdinal(thread_id);
    if (tno === undefined) throw threadNotFound(thread_id);
    const matches = (await loadEntries(this.port.store, tno)).filter(
      (entry) => (status ?? entry.status) === entry.status && (origin ?? entry.origin) === entry.origin,
    );
    return {
      items: matches.slice(offset, offset + limit).map(publicEntry),
      total: matches.length,
      has_more: matches.length > offset + limit,
    };
  }

  async #approvals({ resource_id, offset, limit }: Query<'approvals'>): Promise<Page<Listed['approvals']>> {
    const { calls: waiting, threads } = this.port.lists;
    const isWanted = resource_id === undefined ? () => true : threads.isOf(resource_id);
    const pending = waiting.oldestFirst().filter(({ tno }) => isWanted(tno));
    const calls = pending.slice(offset, offset + limit);
    const loaded = await Promise.all(calls.map((call) => loadApproval(this.port.store, call)));
    const items = loaded.filter((approval) => approval !== undefined);
    return pageOf(items, { total: pending.length, ordinals: calls }, offset);
  }

  async #views(filter: ThreadFilter, ordinals: number[]): Promise<{ tno: number; view: ThreadView }[]> {
    const rows = await this.#rows<ThreadRow>(ordinals.map(keys.thread));
    return rows.flatMap((row, i) => {
      const view = row && viewOf(row);
      return view && isThreadOf(filter, view) ? [{ tno: ordinals[i]!, view }] : [];
    });
  }

  async #rows<T>(wanted: Key[]): Promise<(T | undefined)[]> {
    const rows = await this.port.store.getMany(wanted);
    return rows.map((row) => (row === undefined ? undefined : (JSON.parse(row) as T)));
  }
}

/** What could not be shown any more is not counted either. */
function pageOf<T>(items: T[], { total, ordinals }: { total: number; ordinals: unknown[] }, offset: number): Page<T> {
  const passed = ordinals.length - items.length;
  return { items, total: total - passed, has_more: offset + ordinals.length < total };
}

/** What may change in a run still fits the filter. */
const isRunOf = (filter: RunFilter, run: RunRecord): boolean =>
  (filter.status ?? run.status) === run.status &&
  (filter.termination_code ?? run.termination_code) === run.termination_code &&
  (filter.agent_id ?? run.agent_id) === run.agent_id &&
  (filter.updated_at_from ?? -Infinity) <= run.updated_at &&
  (filter.updated_at_to ?? Infinity) >= run.updated_at;

/** What may change in a thread still fits the filter. */
const isThreadOf = ({ status, resource_id }: ThreadFilter, view: ThreadView): boolean =>
  (status ?? view.status) === view.status && (resource_id ?? view.resource_id) === view.resource_id;
