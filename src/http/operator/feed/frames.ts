/**
 * The frames of the feed as bytes (CONTRACT 9.1). What is numbered has an id, `<boot>-<n>`; figures and progress have
 * none: only the newest of them counts. The text of an entry is made once, when the first reader wants it.
 */

import { z } from 'zod';
import type { FeedEntry, Picture, Progress } from '../../../actors/inspection.js';
import { anyJson, time } from '../../answers.js';
import { frame } from '../../frames.js';
import { actorKinds } from '../actor-filter.js';
import { actorItem } from '../actors.js';
import { statsRecord, statsShape, type Stats } from '../stats.js';

const text = z.string();
const path = z.array(text);
const of = <T extends string>(type: T) => ({ type: z.literal(type), at: time });

const entry = z.union([
  z.object({ ...of('transition'), actor: actorItem, event: text, from: path, to: path }),
  z.object({ ...of('changed'), actor: actorItem }),
  z.object({
    ...of('ended'),
    id: text,
    kind: z.enum(actorKinds),
    thread_id: text,
    run_id: text.nullable(),
    agent_id: text.nullable(),
    outcome: text,
    detail: text.nullable(),
  }),
  z.object({ ...of('queued'), thread_id: text, queued: z.int() }),
  z.object({ ...of('event'), event: anyJson }),
  z.object({ ...of('progress'), id: text, progress: z.number().nullable(), message: text.nullable() }),
]);

/** One frame. */
export const feedFrame = z.union([
  z.object({ ...of('reset'), items: z.array(actorItem), total: z.int(), stats: statsRecord }),
  ...entry.options,
  z.object({ ...of('stats'), ...statsShape }),
  z.object({ ...of('batch'), left_out: z.int(), entries: z.array(entry) }),
]);

const texts = new WeakMap<FeedEntry, string>();

function textOf(entry: FeedEntry): string {
  let made = texts.get(entry);
  if (made === undefined) {
    made = JSON.stringify(entry.type === 'event' ? { type: 'event', at: entry.at, event: entry.event } : entry);
    texts.set(entry, made);
  }
  return made;
}

export const entryFrame = (boot: string, n: number, entry: FeedEntry): string => frame(`${boot}-${n}`, textOf(entry));

/**
 * What has gathered up to entry `n`: entries and reports of progress as they are by themselves.
 *
 * @param left_out how many entries are not there because a later one says more of the same.
 */
export function batchFrame(
  boot: string,
  n: number,
  { at, entries, reports, left_out }: { at: number; entries: FeedEntry[]; reports: Progress[]; left_out: number },
): string {
  const texts = [...entries.map(textOf), ...reports.map(progressText)];
  return frame(`${boot}-${n}`, `{"type":"batch","at":${at},"left_out":${left_out},"entries":[${texts.join()}]}`);
}

export const resetFrame = (boot: string, { position, at, items, total }: Picture, stats: Stats): string =>
  frame(`${boot}-${position}`, JSON.stringify({ type: 'reset', at, items, total, stats }));

export const statsFrame = (at: number, stats: Stats): string =>
  unnumbered(JSON.stringify({ type: 'stats', at, ...stats }));

export const progressFrame = (report: Progress): string => unnumbered(progressText(report));

const progressText = ({ at, id, progress, message }: Progress): string =>
  JSON.stringify({ type: 'progress', at, id, progress, message });

const unnumbered = (data: string): string => `data: ${data}\n\n`;

/** The number behind which a reader goes on; undefined when its id is of another process, or of no process. */
export function positionOf(boot: string, id: string): number | undefined {
  const [, of, n] = /^([0-9a-z]+)-(\d{1,15})$/.exec(id) ?? [];
  return of === boot ? Number(n) : undefined;
}
