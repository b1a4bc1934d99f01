/**
 * What is about to change, in words and numbers, before it changes. Pure.
 *
 * Three tiers of asking: one thing changes and nothing else is lost: `y`. Several things change: `y` and how many, so
 * that a habit is no consent. Something is under way that cannot be taken back (a `once` tool is running: it may have
 * taken effect): the id has to be typed.
 */

import type { SuspensionKind } from '../../client/index.js';
import { plural, shortId } from '../format.js';
import { commandOf, type Deed } from './deed.js';

export type Tier = 'key' | 'count' | 'id';

export type Plan = {
  title: string;
  /** What will change, one line each. */
  says: readonly string[];
  /** How many things change. */
  changes: number;
  tier: Tier;
  /** What has to be typed. */
  expects: string;
  deeds: readonly Deed[];
  commands: readonly string[];
};

/** A run, with what ending it would take along. */
export type Stake = {
  /** Null: no run is active on the thread. */
  run_id: string | null;
  thread_id: string;
  /** Entries of the thread that wait for their turn. */
  queued: number;
  /** Name of the tool that is running and may have taken effect, if one is. */
  once: string | null;
};

/** A call that waits for a person. */
export type Question = {
  run_id: string;
  tool_call_id: string;
  name: string;
  arguments: string;
  agent_id: string | null;
  kind: SuspensionKind;
  asks: string;
};
export type Entry = { thread_id: string; entry_id: string; error: string | null };

type Parts = Pick<Plan, 'title' | 'says' | 'deeds'> & {
  /** As many as there are deeds, unless one of them changes more. */
  changes?: number;
  /** What has to be typed, where something cannot be taken back. */
  guard?: string | null;
  /** The options that name the server, for the commands. */
  where: readonly string[];
};

const plan = ({ title, says, deeds, changes = deeds.length, guard = null, where }: Parts): Plan => ({
  title,
  says,
  changes,
  deeds,
  commands: deeds.map((deed) => commandOf(deed, where)),
  ...(guard !== null
    ? { tier: 'id', expects: guard }
    : changes > 1
      ? { tier: 'count', expects: `y${changes}` }
      : { tier: 'key', expects: 'y' }),
});

/** Most runs that are named one by one. */
const NAMED = 4;

const names = (ids: readonly string[], width = 9): string =>
  ids
    .slice(0, NAMED)
    .map((id) => shortId(id, width))
    .join(', ') + (ids.length > NAMED ? ` and ${ids.length - NAMED} more` : '');

export function decidePlan(action: 'approve' | 'deny', questions: readonly Question[], where: readonly string[]): Plan {
  const verb = action === 'approve' ? 'runs' : 'refuses';
  const says = questions
    .slice(0, NAMED)
    .map(
      ({ name, arguments: given, run_id, agent_id }) =>
        `${verb} ${name} ${given} for run ${shortId(run_id)}${agent_id === null ? '' : ` (${agent_id})`}`,
    );
  if (questions.length > NAMED) says.push(`and ${plural(questions.length - NAMED, 'more call')}`);
  const title = `${action} ${plural(questions.length, 'call')}`;
  const deeds = questions.map(({ run_id, tool_call_id }): Deed => ({ do: action, run_id, tool_call_id }));
  return plan({ title, says, deeds, where });
}

export function retryCallPlan({ run_id, tool_call_id, name }: Question, where: readonly string[]): Plan {
  const says = [`runs ${name} again for run ${shortId(run_id)}`, 'it may have taken effect the first time'];
  const deeds: Deed[] = [{ do: 'retry_call', run_id, tool_call_id }];
  return plan({ title: 'try a call again', says, deeds, guard: shortId(run_id).slice(-4), where });
}

export function cancelPlan(stakes: readonly ActiveStake[], where: readonly string[]): Plan {
  const many = stakes.length > 1;
  const says = [`cancels ${many ? plural(stakes.length, 'run') : 'run'} ${names(stakes.map(({ run_id }) => run_id))}`];
  const queued = waitingBehind(stakes);
  if (queued > 0)
    says.push(
      `${plural(queued, 'queued entry', 'queued entries')} of the thread${many ? 's' : ''} then get their turn`,
    );
  const deeds = stakes.map(({ run_id }): Deed => ({ do: 'cancel_run', run_id }));
  const title = `cancel ${plural(stakes.length, 'run')}`;
  return plan({ title, says: [...says, ...running(stakes)], deeds, guard: guardOf(stakes), where });
}

export function interruptPlan(stakes: readonly Stake[], where: readonly string[]): Plan {
  const active = stakes.filter(isActive);
  const queued = waitingBehind(stakes);
  const threads = names(
    stakes.map(({ thread_id }) => thread_id),
    24,
  );
  const says = [
    `interrupts ${stakes.length === 1 ? 'thread' : plural(stakes.length, 'thread')} ${threads}`,
    active.length === 0 ? 'no run is active there' : `cancels run ${names(active.map(({ run_id }) => run_id))}`,
    queued === 0 ? 'nothing is queued' : `supersedes ${plural(queued, 'queued entry', 'queued entries')}`,
  ];
  const deeds = stakes.map(({ thread_id }): Deed => ({ do: 'interrupt', thread_id }));
  const changes = Math.max(stakes.length, active.length + queued);
  const title = `interrupt ${plural(stakes.length, 'thread')}`;
  return plan({ title, says: [...says, ...running(active)], deeds, changes, guard: guardOf(active), where });
}

export type ActiveStake = Stake & { run_id: string };
export const isActive = (stake: Stake): stake is ActiveStake => stake.run_id !== null;

export function retryEntriesPlan(entries: readonly Entry[], where: readonly string[]): Plan {
  const says = entries
    .slice(0, NAMED)
    .map(
      ({ entry_id, error }) => `starts anew what ${shortId(entry_id)} asked for${error === null ? '' : ` (${error})`}`,
    );
  if (entries.length > NAMED) says.push(`and ${plural(entries.length - NAMED, 'more entry', 'more entries')}`);
  const deeds = entries.map(({ thread_id, entry_id }): Deed => ({ do: 'retry_entry', thread_id, entry_id }));
  return plan({ title: `retry ${plural(entries.length, 'dead letter')}`, says, deeds, where });
}

export const cancelEntryPlan = ({ thread_id, entry_id }: Entry, where: readonly string[]): Plan =>
  plan({
    title: 'cancel a queued entry',
    says: [`takes entry ${shortId(entry_id)} out of the queue; its run never starts`],
    deeds: [{ do: 'cancel_entry', thread_id, entry_id }],
    where,
  });

/** Entries of several runs of one thread are the same ones. */
const waitingBehind = (stakes: readonly { thread_id: string; queued: number }[]): number =>
  [...new Map(stakes.map(({ thread_id, queued }) => [thread_id, queued])).values()].reduce((sum, n) => sum + n, 0);

const running = (stakes: readonly ActiveStake[]): string[] =>
  stakes.flatMap(({ once }) => (once === null ? [] : [`${once} is running and may have taken effect`])).slice(0, NAMED);

/** The end of the id, as the list shows it. Of several there is no one id: the count has to do. */
const guardOf = (stakes: readonly ActiveStake[]): string | null =>
  stakes.length === 1 && stakes[0]!.once !== null ? stakes[0]!.run_id.slice(-4) : null;
