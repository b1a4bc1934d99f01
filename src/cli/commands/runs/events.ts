/** `runs events`: what is stored of a run's log, and with `--watch` what comes. */

import type { Session } from '../../session/session.js';
import { limitOf, type ListOptions } from '../../define.js';
import { compileFilter } from '../../filter/filter.js';
import { collect } from '../../lists/collect.js';
import { eventPages } from '../../lists/pages.js';
import { assertWatchable } from '../../lists/watch.js';
import { follow } from '../../narrate/follow.js';
import { printList, printRecords } from '../../output/print.js';
import { toTable } from '../../output/table.js';
import { events as view } from '../../views/events.js';

export type EventOptions = ListOptions & { after?: number };

export async function events(session: Session, options: EventOptions, run: string): Promise<void> {
  const { after, watch } = options;
  const client = await session.client();
  const filter = compileFilter(options.filter ?? [], view.keys, session.io.now());
  if (!watch) {
    const query = { after };
    return printList(session, view, await collect(eventPages(client, run), filter, { limit: limitOf(options), query }));
  }
  assertWatchable(session);
  const { out, io } = session;
  await follow(session, client, run, {
    ...(after === undefined ? {} : { after }),
    until: 'finish',
    onEvent: async (event) => {
      if (!filter.matches(event)) return;
      if (!out.isForPeople) return printRecords(session, view, [event]);
      // Rows of a table that is not over: their columns are as wide as they are.
      const [, row] = toTable([event], view.columns, { now: io.now(), wide: out.format === 'wide' });
      await out.lines([row!]);
    },
  });
}
