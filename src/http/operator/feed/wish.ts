/** What a reader of the feed asked for, and whether an entry is part of it. Pure. */

import { z } from 'zod';
import type { ActorFilter, ActorItem, FeedEntry, Progress } from '../../../actors/inspection.js';
import { passes } from '../../../actors/live/live-index.js';
import { query } from '../../query.js';
import { filterOf, filters } from '../actor-filter.js';

/** `transitions` and the changes and progress between them · `runs`: ends and queues · `stats` · `events` of all runs. */
const feedParts = ['transitions', 'runs', 'stats', 'events'] as const;
export type FeedPart = (typeof feedParts)[number];

/** Milliseconds between two `batch` frames. */
const PACE = { least: 50, most: 5_000 };

export const feedQuery = z.object({
  include: query.words(feedParts),
  every: query.within(
    PACE,
    'Milliseconds. Gives `batch` frames, at most one in so many, of an actor only the last thing that was told meanwhile.',
  ),
  ...filters,
});

export type Wish = {
  parts: ReadonlySet<FeedPart>;
  filter: ActorFilter;
  /** Milliseconds for which entries are gathered and merged; null: each comes by itself, at once. */
  every: number | null;
};

export function wishOf({ include, every, ...filter }: z.output<typeof feedQuery>): Wish {
  return {
    parts: new Set(include ?? ['transitions', 'runs', 'stats']),
    filter: filterOf(filter),
    every: every ?? null,
  };
}

/** The actors that a picture for this reader has: runs and threads, unless it names other kinds. */
export const pictureOf = ({ filter }: Wish): ActorFilter => ({ kinds: ['run', 'thread'], ...filter });

const partOf: Record<FeedEntry['type'], FeedPart> = {
  transition: 'transitions',
  changed: 'transitions',
  ended: 'runs',
  queued: 'runs',
  event: 'events',
};

export const wants = ({ parts, filter }: Wish, entry: FeedEntry): boolean =>
  parts.has(partOf[entry.type]) && concerns(filter, entry);

function concerns(filter: ActorFilter, entry: FeedEntry): boolean {
  switch (entry.type) {
    case 'transition':
      // Who watches a state is also told who leaves it.
      return passes(filter, entry.actor) || passes(filter, { ...entry.actor, path: entry.from });
    case 'changed':
      return passes(filter, entry.actor);
    case 'ended':
      return isOfKind(filter, entry.kind) && isOf(filter, entry);
    case 'queued':
      return isOfKind(filter, 'thread') && isOf(filter, { ...entry, run_id: null, agent_id: null });
    case 'event':
      return isOf(filter, { agent_id: entry.agent_id, ...entry.event });
  }
}

export const wantsProgress = ({ parts, filter }: Wish, progress: Progress): boolean =>
  parts.has('transitions') && isOfKind(filter, 'tool_call') && isOf(filter, progress);

const isOfKind = ({ kinds }: ActorFilter, kind: ActorItem['kind']): boolean => kinds?.includes(kind) ?? true;

const isOf = (
  { thread_id, run_id, agent_id }: ActorFilter,
  of: { thread_id: string; run_id: string | null; agent_id: string | null },
): boolean =>
  (thread_id ?? of.thread_id) === of.thread_id &&
  (run_id ?? of.run_id) === of.run_id &&
  (agent_id ?? of.agent_id) === of.agent_id;
