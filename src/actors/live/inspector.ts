/** What operators look at, put together from the live index, the feed and the store (`inspection.ts` is the contract). */

import type { AuditLog } from '../audit/audit-log.js';
import type { Page } from '../page.js';
import type {
  ActorDetail,
  ActorItem,
  AuditEntry,
  AuditRecord,
  EngineStats,
  Inspection,
  LiveFeed,
  Picture,
} from '../inspection.js';
import type { MailboxEntry } from '../records.js';
import { detailOf, recordedRun, recordedThread, type DetailPort } from './detail.js';
import type { Live } from './live.js';
import type { Mailboxes } from './mailboxes.js';
import { gauges } from './pulse.js';

export type InspectorPort = DetailPort & {
  live: Live;
  now(): number;
  /** What the engine counts elsewhere. */
  audit: AuditLog;
  mailboxes: Mailboxes;
  counts(): Pick<EngineStats, 'threads' | 'runs' | 'commit_p99_ms' | 'db_bytes' | 'dead_letters'>;
};

export class Inspector implements Inspection {
  constructor(private readonly port: InspectorPort) {}

  get feed(): LiveFeed {
    return this.port.live.feed;
  }

  async actors({ offset, limit, order, ...filter }: Parameters<Inspection['actors']>[0]): Promise<Page<ActorItem>> {
    const { live } = this.port;
    await live.ready;
    const { items, total } = live.index.page(filter, { offset, limit }, order);
    return { items, total, has_more: offset + items.length < total };
  }

  async actor(id: string): Promise<ActorDetail | undefined> {
    const { live } = this.port;
    await live.ready;
    const member = live.index.find(id);
    const detail = member && (await detailOf(this.port, member));
    if (detail) return detail;
    const [, kind, name] = /^(run|thread):(.+)$/s.exec(id) ?? [];
    if (kind === undefined || name === undefined) return undefined;
    return kind === 'run' ? recordedRun(this.port, name) : recordedThread(this.port, name);
  }

  async picture(filter: Parameters<Inspection['picture']>[0], limit: number): Promise<Picture> {
    const { live } = this.port;
    await live.ready;
    const { items, total } = live.index.page(filter, { offset: 0, limit });
    return { position: live.feed.last, at: this.port.now(), items, total };
  }

  stats(): EngineStats {
    const { live } = this.port;
    return { ...live.pulse.read(this.port.now()), ...gauges(live.index), ...this.port.counts() };
  }

  entries(...[statuses, cut]: Parameters<Inspection['entries']>): Promise<Page<MailboxEntry>> {
    return this.port.mailboxes.page(statuses, cut);
  }

  record(entry: AuditEntry): Promise<number> {
    return this.port.audit.record(entry);
  }

  amend(record: AuditRecord): Promise<void> {
    return this.port.audit.amend(record);
  }

  audit(...[filter, cut]: Parameters<Inspection['audit']>): Promise<Page<AuditRecord>> {
    return this.port.audit.page(filter, cut);
  }
}
