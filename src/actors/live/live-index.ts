/** The live actors of all threads, in memory or not, by id and by thread; and which of them match a filter. */

import type { ActorFilter, ActorItem } from '../inspection.js';
import type { Cut } from '../lists/table.js';
import { itemOf, membersOf, type Family, type LiveActor } from './actor.js';

export type Member = { actor: LiveActor; family: Family };

export class LiveIndex {
  readonly #families = new Map<number, Family>();
  readonly #byId = new Map<string, Member>();

  /** @param isHot whether a thread is in memory. */
  constructor(private readonly isHot: (tno: number) => boolean) {}

  get size(): number {
    return this.#byId.size;
  }

  family(tno: number): Family | undefined {
    return this.#families.get(tno);
  }

  families(): IterableIterator<Family> {
    return this.#families.values();
  }

  find(id: string): Member | undefined {
    return this.#byId.get(id);
  }

  keep(family: Family): void {
    this.#families.set(family.tno, family);
  }

  /** Puts an actor into its place of the family. */
  add(family: Family, actor: LiveActor): void {
    if (actor.kind === 'thread') family.thread = actor;
    else if (actor.kind === 'run') family.run = actor;
    else family.calls.set(actor.path, actor);
    this.#byId.set(actor.id, { actor, family });
  }

  remove(family: Family, actor: LiveActor): void {
    if (actor === family.thread) family.thread = null;
    else if (actor === family.run) family.run = null;
    else family.calls.delete(actor.path);
    // Of two calls that a model gave one id, the other one may stand there.
    if (this.#byId.get(actor.id)?.actor === actor) this.#byId.delete(actor.id);
  }

  /** Nothing is live on this thread any more. */
  drop(family: Family): void {
    for (const actor of [...membersOf(family)]) this.remove(family, actor);
    this.#families.delete(family.tno);
  }

  itemOf({ actor, family }: Member): ActorItem {
    return itemOf(actor, family, this.isHot(family.tno) ? 'live' : 'passivated');
  }

  /** One page of the actors that match, the oldest state first (`desc`: last), then by id. */
  page(
    filter: ActorFilter,
    { offset, limit }: Cut,
    order: 'asc' | 'desc' = 'asc',
  ): { items: ActorItem[]; total: number } {
    const matches = this.#matches(filter);
    matches.sort(order === 'asc' ? byAge : (a, b) => byAge(b, a));
    return { items: matches.slice(offset, offset + limit).map((member) => this.itemOf(member)), total: matches.length };
  }

  #matches(filter: ActorFilter): Member[] {
    if (filter.thread_id === undefined && filter.run_id === undefined)
      return [...this.#byId.values()].filter(({ actor, family }) => matches(filter, actor, family.thread_id));
    return this.#ofThread(filter).filter(({ actor, family }) => matches(filter, actor, family.thread_id));
  }

  /** A thread or a run that is named stands at hand. */
  #ofThread({ thread_id, run_id }: ActorFilter): Member[] {
    const named = thread_id === undefined ? this.#byId.get(`run:${run_id!}`) : this.#byId.get(`thread:${thread_id}`);
    return named ? [...membersOf(named.family)].map((actor) => ({ actor, family: named.family })) : [];
  }
}

const byAge = (a: Member, b: Member): number =>
  a.actor.since - b.actor.since || (a.actor.id < b.actor.id ? -1 : a.actor.id > b.actor.id ? 1 : 0);

type Filtered = Pick<LiveActor, 'kind' | 'run_id' | 'agent_id' | 'state'>;

function matches(
  { kinds, states, thread_id, run_id, agent_id }: ActorFilter,
  actor: Filtered,
  thread: string,
): boolean {
  return (
    (kinds === undefined || kinds.includes(actor.kind)) &&
    (thread_id === undefined || thread_id === thread) &&
    (run_id === undefined || run_id === actor.run_id) &&
    (agent_id === undefined || agent_id === actor.agent_id) &&
    (states === undefined || isIn(states, actor.state))
  );
}

/** Whether an item passes a filter. */
export const passes = (filter: ActorFilter, item: ActorItem): boolean =>
  matches(filter, { ...item, state: item.path }, item.thread_id);

const isIn = (states: readonly string[], path: readonly string[]): boolean => {
  const joined = path.join('.');
  return states.some((state) => joined === state || joined.startsWith(`${state}.`));
};
