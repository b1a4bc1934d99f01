/** The live actors of all threads, in memory or not, by id and by thread; and which of them match a filter. */

import type { ActorFilter, ActorItem } from '../inspection.js';
import type { Cut } from '../page.js';
import { nthLargest } from '../lists/nth.js';
import { callsOf, itemOf, membersOf, runActorId, threadActorId, type Family, type LiveActor } from './actor.js';

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
    else callsOf(family).set(actor.path, actor);
    this.#byId.set(actor.id, { actor, family });
  }

  remove(family: Family, actor: LiveActor): void {
    if (actor === family.thread) family.thread = null;
    else if (actor === family.run) family.run = null;
    else callsOf(family).delete(actor.path);
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
  page(filter: ActorFilter, cut: Cut, order: 'asc' | 'desc' = 'asc'): { items: ActorItem[]; total: number } {
    const matches = this.#matches(filter);
    const shown = pieceOf(matches, cut, order === 'asc' ? 1 : -1);
    return { items: shown.map((member) => this.itemOf(member)), total: matches.length };
  }

  #matches(filter: ActorFilter): Member[] {
    const fits = matcher(filter);
    const found: Member[] = [];
    for (const member of this.#candidates(filter)) if (fits(member.actor, member.family.thread_id)) found.push(member);
    return found;
  }

  /** A thread or a run that is named stands at hand. */
  #candidates({ thread_id, run_id }: ActorFilter): Iterable<Member> {
    if (thread_id === undefined && run_id === undefined) return this.#byId.values();
    const id = thread_id === undefined ? runActorId(run_id!) : threadActorId(thread_id);
    const family = this.#byId.get(id)?.family;
    return family ? Array.from(membersOf(family), (actor) => ({ actor, family })) : [];
  }
}

/** A piece of the members in their order, without sorting those that are not shown. `sign`: 1 the oldest first, or -1. */
function pieceOf(members: readonly Member[], { offset, limit }: Cut, sign: 1 | -1): Member[] {
  const total = members.length;
  if (offset >= total) return [];
  const youth = new Float64Array(total);
  for (let i = 0; i < total; i++) youth[i] = -sign * members[i]!.actor.since;
  const times = youth.slice();
  const last = Math.min(offset + limit, total) - 1;
  const from = nthLargest(times, last);
  const to = nthLargest(times.subarray(0, last + 1), offset);
  let before = 0;
  const near: Member[] = [];
  for (let i = 0; i < total; i++)
    if (youth[i]! > to) before += 1;
    else if (youth[i]! >= from) near.push(members[i]!);
  near.sort((a, b) => sign * byAge(a, b));
  return near.slice(offset - before, offset - before + limit);
}

const byAge = (a: Member, b: Member): number =>
  a.actor.since - b.actor.since || (a.actor.id < b.actor.id ? -1 : a.actor.id > b.actor.id ? 1 : 0);

type Filtered = Pick<LiveActor, 'kind' | 'run_id' | 'agent_id' | 'state'>;

function matcher({
  kinds,
  states,
  thread_id,
  run_id,
  agent_id,
}: ActorFilter): (a: Filtered, thread: string) => boolean {
  const paths = states?.map((state) => state.split('.'));
  return (actor, thread) =>
    (kinds === undefined || kinds.includes(actor.kind)) &&
    (thread_id === undefined || thread_id === thread) &&
    (run_id === undefined || run_id === actor.run_id) &&
    (agent_id === undefined || agent_id === actor.agent_id) &&
    (paths === undefined || isIn(paths, actor.state));
}

/** Whether a state is one of these, or inside of one. */
function isIn(paths: readonly string[][], state: readonly string[]): boolean {
  for (const path of paths) {
    let same = 0;
    while (same < path.length && path[same] === state[same]) same++;
    if (same === path.length) return true;
  }
  return false;
}

/** Whether an item passes a filter. */
export const passes = (filter: ActorFilter, item: ActorItem): boolean =>
  matcher(filter)({ ...item, state: item.path }, item.thread_id);
