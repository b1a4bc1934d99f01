/** Records in the format that was asked for: a list, one, or one after another as they come. */

import { segment } from '../rail/segments.js';
import type { Session } from '../session/session.js';
import type { View } from '../views/view.js';
import { toDetails } from './details.js';
import { itemEnvelope, listEnvelope } from './envelope.js';
import { toTable } from './table.js';

export type Found<T> = { items: readonly T[]; total: number | null; has_more: boolean };

const nameOf = <T>(view: View<T>, item: T): string => `${view.name(item).join('\t')}\n`;

/** A whole list. A table that is cut short says so on stderr. */
export async function printList<T>(session: Session, view: View<T>, found: Found<T>): Promise<void> {
  const { out } = session;
  if (out.format === 'json') return out.json(listEnvelope(view.kind, found));
  if (!out.isForPeople) return printRecords(session, view, found.items);
  if (found.items.length === 0 && !found.has_more) return session.say('nothing found');
  await out.lines(toTable(found.items, view.columns, { now: session.io.now(), wide: out.format === 'wide' }));
  if (found.has_more) {
    const of = found.total === null ? '' : ` of ${found.total}`;
    await session.say(`${found.items.length}${of} shown; --limit N or --all for more`);
  }
}

/** Records as they come, in the formats that have a line for each. */
export async function printRecords<T>({ out }: Session, view: View<T>, items: readonly T[]): Promise<void> {
  const line = (item: T): string => (out.format === 'name' ? nameOf(view, item) : `${JSON.stringify(item)}\n`);
  if (items.length > 0) await out.text(items.map(line).join(''));
}

/** One record. */
export async function printItem<T extends object>(session: Session, view: View<T>, item: T): Promise<void> {
  const { out } = session;
  if (out.format === 'json') return out.json(itemEnvelope(view.kind, item));
  if (out.isForPeople) return out.lines(toDetails(item, session.io.now()));
  return printRecords(session, view, [item]);
}

export type Outcome = {
  kind: string;
  /** What the server answered, or says of it. */
  item: object;
  /** For `-o name`. */
  names: readonly string[];
  /** For people. */
  sentence: string;
};

/** What has come of a command that changes something. */
export async function printOutcome({ out }: Session, { kind, item, names, sentence }: Outcome): Promise<void> {
  if (out.format === 'json') return out.json(itemEnvelope(kind, item));
  if (out.format === 'jsonl') return out.json(item);
  if (out.format === 'name') return out.text(`${names.join('\t')}\n`);
  return out.lines([[segment(sentence)]]);
}
