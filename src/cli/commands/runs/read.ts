/** `runs list` and `runs get`. */

import type { RunRecord } from '../../client/index.js';
import type { ListOptions } from '../../define.js';
import { offsetPages } from '../../lists/pages.js';
import { showItem, showMatching } from '../../lists/show.js';
import type { WatchOptions } from '../../lists/watch.js';
import type { Session } from '../../session/session.js';
import { runs } from '../../views/runs.js';

export async function list(session: Session, options: ListOptions & { order: 'asc' | 'desc' }): Promise<void> {
  const pages = offsetPages<RunRecord>(await session.client(), '/v1/runs');
  await showMatching(session, runs, pages, options, { order: options.order });
}

export async function get(session: Session, options: WatchOptions, id: string): Promise<void> {
  const client = await session.client();
  await showItem(session, runs, options, () => client.run(id));
}
