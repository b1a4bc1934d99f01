/**
 * What of a stretch of the feed still counts at its end. Pure.
 *
 * Of an actor the last thing that was told is kept: every entry about it says all that is known of it, or that it is gone.
 * Of a mailbox likewise. Events of runs are history, not state: all of them stay. Order is that of what is kept, so reading
 * it leads where reading everything leads.
 */

import type { FeedEntry } from '../../../actors/inspection.js';

/** Entries are shared, not copied. */
export function merged(entries: Iterable<FeedEntry>): FeedEntry[] {
  const last = new Map<unknown, FeedEntry>();
  for (const entry of entries) {
    const subject = subjectOf(entry);
    // To the end of the order, where its newest entry stands.
    last.delete(subject);
    last.set(subject, entry);
  }
  return [...last.values()];
}

/** What an entry replaces the earlier ones of. */
function subjectOf(entry: FeedEntry): unknown {
  switch (entry.type) {
    case 'transition':
    case 'changed':
      return entry.actor.id;
    case 'ended':
      return entry.id;
    case 'queued':
      return `queued:${entry.thread_id}`;
    case 'event':
      return entry;
  }
}
