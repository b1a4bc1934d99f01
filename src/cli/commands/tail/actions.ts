/**
 * `tail`: what happens on the server, event by event.
 *
 * Callers may rely on: each event once, those of a run in order. When frames were lost (the server was restarted, or this
 * reader was too slow) the gap is filled from the stored logs, so nothing is missing either.
 */

import { usage, type Client, type RunEvent } from '../../client/index.js';
import { compileFilter } from '../../filter/filter.js';
import { assertWatchable } from '../../lists/watch.js';
import { tellCuts } from '../../narrate/follow.js';
import { printRecords } from '../../output/print.js';
import type { Session } from '../../session/session.js';
import { tailKeys, tailView, type TailedEvent } from '../../views/tail.js';
import { eventsSince } from './history.js';
import { Runs } from './runs.js';
import { TailStory } from './story.js';

type TailOptions = { filter?: string[]; since?: number; follow: boolean };

export async function tail(session: Session, { filter: texts = [], since, follow }: TailOptions): Promise<void> {
  const { out, io } = session;
  assertWatchable(session);
  if (!follow && since === undefined) throw usage('--no-follow goes with --since');
  // An age counts from the moment of each event, so it can be no filter here.
  const { query, matches } = compileFilter(texts, tailKeys, io.now());
  const client = await session.client();
  const runs = new Runs(client);
  const story = new TailStory(out.ascii);

  async function pass(event: RunEvent): Promise<void> {
    if (!runs.isNews(event)) return;
    const tailed: TailedEvent = { ...event, agent_id: await runs.agentOf(event) };
    if (!matches(tailed)) return;
    if (out.isForPeople) await out.lines(story.lines(tailed));
    else await printRecords(session, tailView, [event]);
  }
  const catchUp = async (from: number): Promise<void> => {
    const lastOf = (run: string): number => runs.lastOf(run);
    for (const event of await eventsSince(client, query, { from, lastOf })) await pass(event);
  };

  if (!follow) return catchUp(io.now() - since!);
  await live(session, client, query, { from: since === undefined ? undefined : io.now() - since, pass, catchUp });
}

type Passing = {
  /** Unix milliseconds; undefined: from now. */
  from: number | undefined;
  pass: (event: RunEvent) => Promise<void>;
  catchUp: (from: number) => Promise<void>;
};

/** Events of several runs do not come by their times to the millisecond. */
const SLACK_MS = 5_000;

/** The feed is open before the past is read: what happens meanwhile comes behind it. Ends by throwing. */
async function live(
  session: Session,
  client: Client,
  filter: Readonly<Record<string, string | number>>,
  { from, pass, catchUp }: Passing,
): Promise<void> {
  const query = { ...filter, include: 'events' };
  const feed = client.actorFeed({ query, retry: 'once-connected', onStatus: tellCuts(session) });
  let first = from;
  let last = from;
  for await (const { data: frame } of feed) {
    if (frame.type === 'reset') {
      if (last !== undefined) await catchUp(Math.max(first!, last - SLACK_MS));
      first ??= frame.at;
      last ??= frame.at;
    } else if (frame.type === 'event') {
      await pass(frame.event);
      last = frame.event.timestamp_ms;
    }
  }
}
