/** `agents list` and `agents get`: what can be run here. The server has the agents as a list only. */

import { notFound, type Agent } from '../../client/index.js';
import type { ListOptions } from '../../define.js';
import { offsetPages, PAGE } from '../../lists/pages.js';
import { showItem, showMatching } from '../../lists/show.js';
import type { WatchOptions } from '../../lists/watch.js';
import type { Session } from '../../session/session.js';
import { agents } from '../../views/agents.js';

const pagesOf = async (session: Session) => offsetPages<Agent>(await session.client(), '/v1/agents');

export async function list(session: Session, options: ListOptions): Promise<void> {
  await showMatching(session, agents, await pagesOf(session), options);
}

export async function get(session: Session, options: WatchOptions, id: string): Promise<void> {
  const pages = await pagesOf(session);
  await showItem(session, agents, options, async () => {
    for await (const { items } of pages({}, PAGE)) {
      const found = items.find((agent) => agent.id === id);
      if (found) return found;
    }
    throw notFound(`agent not found: ${id}`);
  });
}
