/**
 * What a state can do, in the order it is drawn: one choice an event, its branches in the order their guards are asked,
 * events that do the very same thing together, and what only acts (no target) at the end. Pure.
 */

import { span } from './time.js';
import type { Node, StateDefinition, TransitionDefinition } from './definition.js';

export type Branch = { target: readonly string[] | null; guards: readonly string[]; isElse: boolean };

/** `events`: names as the machine knows them; `''` is "as soon as a guard holds". */
export type Choice = { events: readonly string[]; branches: readonly Branch[] };

/** The choices of a state, and the events on which it acts without going anywhere. */
export type Choices = { moves: Choice[]; stays: Choice[] };

export const ALWAYS = '';

/** `after` transitions are told apart by their delay: `after 500ms`, `after 1h00`. */
export const afterEvent = (delay: number | string): string =>
  `after ${typeof delay === 'number' ? delayText(delay) : delay}`;

const delayText = (ms: number): string => (ms % 1_000 === 0 ? span(ms) : `${ms}ms`);

export function choicesOf(state: StateDefinition): Choices {
  const byEvent = new Map<string, TransitionDefinition[]>();
  const add = (event: string, transition: TransitionDefinition): void => {
    const known = byEvent.get(event);
    if (known) known.push(transition);
    else byEvent.set(event, [transition]);
  };
  for (const transition of state.always) add(ALWAYS, transition);
  for (const transition of state.after) add(afterEvent(transition.delay), transition);
  for (const transition of state.on) add(transition.event, transition);

  const moves: Choice[] = [];
  const stays: Choice[] = [];
  for (const [event, transitions] of byEvent) {
    const branches = branchesOf(transitions);
    const among = branches.every(({ target }) => target === null) ? stays : moves;
    const same = among.find((choice) => JSON.stringify(choice.branches) === JSON.stringify(branches));
    if (same) (same.events as string[]).push(event);
    else among.push({ events: [event], branches });
  }
  return { moves, stays };
}

const branchesOf = (transitions: readonly TransitionDefinition[]): Branch[] =>
  transitions.map(({ target, guards }, i) => ({ target, guards, isElse: guards.length === 0 && i > 0 }));

/** The event as a person says it, and how it ended when it is the end of something invoked. */
export type EventName = { text: string; end?: 'done' | 'failed' };

export function eventName(event: string): EventName {
  const [, end, actor] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event) ?? [];
  if (actor !== undefined) return { text: lastPart(actor), end: end === 'done' ? 'done' : 'failed' };
  const [, delay] = /^xstate\.after\.(.+?)\./.exec(event) ?? [];
  if (delay !== undefined) return { text: afterEvent(/^\d+$/.test(delay) ? Number(delay) : delay) };
  if (event.startsWith('xstate.done.state.')) return { text: 'all done' };
  if (event === 'xstate.init') return { text: 'start' };
  return { text: event === ALWAYS ? 'always' : event === '*' ? 'anything' : event };
}

/** An actor that was given no name is called after its place: `0.(machine).a.b`. */
const lastPart = (actor: string): string => (/^\d+\.\(?/.test(actor) ? actor.split('.').at(-1)! : actor);

/** `hasCalls` as people say it: `has calls`. */
export const guardText = (guard: string): string =>
  guard
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();

/** The target as it is called from `node`: without the ancestors both have. Itself: its own key. */
export function targetText(target: string, node: Node, root: string): string {
  const path = target.split('.');
  const there = path[0] === root && !(root in rootOf(node).state.states) ? path.slice(1) : path;
  if (there.length === 0) return root;
  let shared = 0;
  while (shared < there.length - 1 && shared < node.path.length && there[shared] === node.path[shared]) shared++;
  return there.slice(shared).join('.');
}

const rootOf = (node: Node): Node => (node.parent ? rootOf(node.parent) : node);
