/**
 * Machines as plain JSON, for whoever draws them: every state, every transition, the names of guards, actions and effects,
 * and no code (CONTRACT 9.1). Pure.
 *
 * What XState resolves is shown resolved: targets are absolute dotted paths (`running.acting`), shorthand is written out.
 * A target of `null` is a transition that acts and stays.
 */

import type { AnyStateMachine, AnyStateNode, TransitionDefinition as XTransition } from 'xstate';

export type TransitionDefinition = {
  event: string;
  target: string[] | null;
  guards: string[];
  actions: string[];
  /** The source state is not left and entered again. */
  internal: boolean;
};

export type StateDefinition = {
  id: string;
  initial: string | null;
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  states: { [key: string]: StateDefinition };
  on: TransitionDefinition[];
  /** Taken as soon as a guard holds; of several, the first. */
  always: TransitionDefinition[];
  after: (TransitionDefinition & { delay: number | string })[];
  invoke: { id: string; src: string }[];
  entry: string[];
  exit: string[];
  tags: string[];
  description?: string;
};

/** A state value as JSON: a name, or names within names. */
export type StateValue = string | { [key: string]: StateValue | undefined };

/** The definition of a machine. */
export const definitionOf = (machine: AnyStateMachine): StateDefinition => stateOf(machine.root);

/** The number of states below the root. */
export const countStates = ({ states }: StateDefinition): number =>
  Object.values(states).reduce((sum, state) => sum + 1 + countStates(state), 0);

/** `{running: 'acting'}` → `['running', 'acting']`. Of parallel regions the first. */
export function pathOf(value: StateValue): string[] {
  const path: string[] = [];
  for (let at: StateValue | undefined = value; at !== undefined;) {
    if (typeof at === 'string') return [...path, at];
    const [region]: [string, StateValue | undefined][] = Object.entries(at);
    if (!region) return path;
    path.push(region[0]);
    at = region[1];
  }
  return path;
}

export type EnabledEvent = { event: string; target: string[] | null; guards: string[] };

/** What a machine that stands in `value` reacts to, the innermost state first: of two for one event, the first decides. */
export function enabledEvents(definition: StateDefinition, value: StateValue): EnabledEvent[] {
  return activeStates(definition, value)
    .reverse()
    .flatMap(({ on, always, after }) => [...on, ...always, ...after])
    .map(({ event, target, guards }) => ({ event, target, guards }));
}

/** The active states, outer ones before inner ones. */
function activeStates(state: StateDefinition, value: StateValue | undefined): StateDefinition[] {
  if (value === undefined) return [state];
  const below = typeof value === 'string' ? { [value]: undefined } : value;
  return [
    state,
    ...Object.entries(below).flatMap(([key, inner]) => {
      const child = state.states[key];
      return child ? activeStates(child, inner) : [];
    }),
  ];
}

function stateOf(node: AnyStateNode): StateDefinition {
  const all = [...node.transitions.values()].flat();
  return {
    id: node.id,
    initial: node.initial?.target?.[0]?.key ?? null,
    type: node.type,
    states: Object.fromEntries(Object.entries(node.states).map(([key, child]) => [key, stateOf(child)])),
    on: all.filter(({ eventType }) => !isDelay(eventType)).map(transitionOf),
    always: (node.always ?? []).map(transitionOf),
    after: node.after.map((delayed) => ({ ...transitionOf(delayed), delay: nameOf(delayed.delay) })),
    invoke: node.invoke.map(({ id, src }) => ({ id, src: String(nameOf(src)) })),
    entry: namesOf(node.entry),
    exit: namesOf(node.exit),
    tags: [...node.tags],
    ...(node.description === undefined ? {} : { description: node.description }),
  };
}

const isDelay = (event: string): boolean => event.startsWith('xstate.after.');

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a transition of any machine
const transitionOf = (transition: XTransition<any, any>): TransitionDefinition => ({
  event: transition.eventType,
  target: transition.target?.map(({ path }) => path.join('.')) ?? null,
  guards: namesOf(transition.guard),
  actions: namesOf(transition.actions),
  internal: !transition.reenter,
});

const namesOf = (parts: unknown): string[] =>
  (Array.isArray(parts) ? parts : parts === undefined ? [] : [parts]).map((part) => String(nameOf(part)));

/** Guards, actions and delays are names, or objects that have one; inline code is called what it is. */
function nameOf(part: unknown): number | string {
  if (typeof part === 'string' || typeof part === 'number') return part;
  const { type, name } = (part ?? {}) as { type?: unknown; name?: unknown };
  return typeof type === 'string' ? type : typeof name === 'string' && name !== '' ? name : '(inline)';
}
