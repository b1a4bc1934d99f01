/** Puts something for the world outside into a commit (`outbox.ts`). */

import type { OutboxCell } from './cells.js';
import type { Draft } from './draft.js';

/** It is delivered at least once after the draft's commit. */
export function putErrand(draft: Draft, errand: OutboxCell): void {
  const { next_outbox } = draft.thread();
  draft.set(`o${next_outbox}`, errand);
  draft.editThread({ next_outbox: next_outbox + 1 });
}
