/**
 * Who did what to the server (CONTRACT 9): records that are durable no later than what they tell of, the newest first.
 *
 * Rows of the ledger hold them; memory has a number, an action and a name of each, so that any filter gets its exact
 * total without reading them. The newest hundred thousand are kept.
 */

import * as keys from '../../store/keys.js';
import type { Op } from '../../store/port.js';
import type { Reads } from '../../store/reads.js';
import type { Command, Principal } from '../engine.js';
import type { Cut, Page } from '../page.js';
import type { LateOutcomeRow } from '../host/late-outcomes.js';
import { delRow, putRow } from '../thread/rows.js';
import type { AuditEntry, AuditFilter, AuditRecord } from '../inspection.js';
import { deedOf, type AuditAction } from './action.js';
import type { LedgerNumbers } from './ledger.js';
import type { Note } from './note.js';

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
    const n = this.port.numbers.next(entry.at);
    await this.port.commit([rowOf(n, entry)]);
    await this.#landed(n, entry);
    return n;
  }

  /** The record of a command for the commit that carries it out; undefined when there is none to be made. */
  note(command: Command, principal: Principal | undefined): Note | undefined {
    const trail = principal?.trail;
    const deed = trail && deedOf(command);
    if (!deed) return undefined;
    const { request_id, status } = trail;
    const attempt = { ...deed, principal: principal.id, reason: trail.reason() ?? deed.reason, request_id };
    trail.attempt = attempt;
    trail.refusal = undefined;
    return {
      refused: (error) => void (trail.refusal = error),
      row: (at, about) => {
        const entry: AuditEntry = { at, ...attempt, target: { ...about, ...attempt.target }, status };
        const n = this.port.numbers.next(at);
        return {
          op: rowOf(n, entry),
          landed: () => {
            trail.records.push({ n, ...entry });
            // Records that are too many go on their own; what is left of them goes with the next ones.
            this.#landed(n, entry).catch(() => {});
          },
        };
      },
    };
  }

  /** Records what is about to be done and is no commit: how it ended is not known until its status is set. */
  async intend(action: AuditAction, at: number, principal: Principal | undefined): Promise<void> {
    const trail = principal?.trail;
    if (!trail) return;
    const { request_id } = trail;
    const reason = trail.reason();
    const entry: AuditEntry = { at, principal: principal.id, action, target: {}, reason, status: null, request_id };
    trail.records.push({ n: await this.record(entry), ...entry });
  }

  /** Corrects what a request was answered with. */
  amend({ n, ...entry }: AuditRecord): Promise<void> {
    return this.port.commit([rowOf(n, entry)]);
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

  /** A record is durable: it is listed from now on, and the oldest go when there are too many. */
  async #landed(n: number, { action, principal }: AuditEntry): Promise<void> {
    const at = this.#noted.findLastIndex((noted) => noted.n <= n);
    if (this.#noted[at]?.n !== n) this.#noted.splice(at + 1, 0, { n, action, principal });
    // What is old is known by the time there is too much of it.
    this.#whole().catch(() => {});
    const { records, slack } = this.kept;
    if (this.#noted.length < records + slack) return;
    await this.port.commit(this.#noted.splice(0, slack).map((old) => delRow(keys.ledger(old.n))));
  }

  /** What was recorded before this process; whatever is recorded meanwhile comes behind it. */
  async #load(): Promise<void> {
    const before: Noted[] = [];
    try {
      for await (const [key, value] of this.port.store.range(keys.allLedger())) {
        const n = keys.ordinalOf(key);
        const row = JSON.parse(value) as AuditRow | LateOutcomeRow;
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

const rowOf = (n: number, entry: AuditEntry): Op =>
  putRow(keys.ledger(n), { kind: 'audit', ...entry } satisfies AuditRow);

function recordOf(n: number, row: string): AuditRecord {
  const { kind: _, ...entry } = JSON.parse(row) as AuditRow;
  return { n, ...entry };
}
