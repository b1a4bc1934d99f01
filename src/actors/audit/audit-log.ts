/**
 * Who did what to the server (CONTRACT 9): records that are durable before the action is answered, the newest first.
 *
 * Rows of the ledger hold them; memory has a number, an action and a name of each, so that any filter gets its exact
 * total without reading them. The newest hundred thousand are kept.
 */

import * as keys from '../../store/keys.js';
import type { Op } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import type { Page } from '../engine.js';
import { delRow, putRow } from '../host/rows.js';
import type { AuditEntry, AuditFilter, AuditRecord } from '../inspection.js';
import type { Cut } from '../lists/table.js';
import type { LedgerNumbers } from './ledger.js';

export type AuditPort = {
  store: Reads;
  commit(ops: readonly Op[]): Promise<void>;
  numbers: LedgerNumbers;
};

export type AuditRow = { kind: 'audit' } & AuditEntry;
type Noted = { n: number; action: string; principal: string };

/** Records kept, and how many more there may be before the oldest go. */
const KEPT = 100_000;
const SLACK = 1_000;

export class AuditLog {
  /** Oldest first. */
  #noted: Noted[] = [];
  #read: Promise<void> | null = null;

  constructor(
    private readonly port: AuditPort,
    private readonly kept = { records: KEPT, slack: SLACK },
  ) {}

  /** Resolves with the record's number when it is durable. */
  async record(entry: AuditEntry): Promise<number> {
    // What is old is known by the time there is too much of it.
    this.#whole().catch(() => {});
    const n = this.port.numbers.next(entry.at);
    const expired = this.#expired();
    const row: AuditRow = { kind: 'audit', ...entry };
    await this.port.commit([putRow(keys.ledger(n), row), ...expired.map((old) => delRow(keys.ledger(old.n)))]);
    this.#noted.splice(0, expired.length);
    this.#noted.push({ n, action: entry.action, principal: entry.principal });
    return n;
  }

  async page({ action, principal }: AuditFilter, { offset, limit }: Cut): Promise<Page<AuditRecord>> {
    await this.#whole();
    const matches = this.#noted.filter(
      (noted) => (action ?? noted.action) === noted.action && (principal ?? noted.principal) === noted.principal,
    );
    const shown = matches.reverse().slice(offset, offset + limit);
    const rows = await this.port.store.getMany(shown.map(({ n }) => keys.ledger(n)));
    const items = rows.flatMap((row, i) => (row === undefined ? [] : [recordOf(shown[i]!.n, row)]));
    return { items, total: matches.length, has_more: offset + shown.length < matches.length };
  }

  #whole(): Promise<void> {
    return (this.#read ??= this.#load());
  }

  #expired(): Noted[] {
    const { records, slack } = this.kept;
    return this.#noted.length < records + slack ? [] : this.#noted.slice(0, slack + 1);
  }

  /** What was recorded before this process; whatever is recorded meanwhile comes behind it. */
  async #load(): Promise<void> {
    const before: Noted[] = [];
    try {
      for await (const [key, value] of this.port.store.range(keys.allLedger())) {
        const n = keys.ordinalOf(key);
        const row = JSON.parse(value) as AuditRow | { kind: 'late_outcome' };
        if (row.kind === 'audit') before.push({ n, action: row.action, principal: row.principal });
      }
    } catch (error) {
      this.#read = null; // The next one who asks tries again.
      throw error;
    }
    const own = new Set(this.#noted.map(({ n }) => n));
    this.#noted = [...before.filter(({ n }) => !own.has(n)), ...this.#noted].sort((a, b) => a.n - b.n);
  }
}

function recordOf(n: number, row: string): AuditRecord {
  const { kind: _, ...entry } = JSON.parse(row) as AuditRow;
  return { n, ...entry };
}
