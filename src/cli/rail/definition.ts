/**
 * A machine as JSON, the way `GET /v1/machines/:name` tells it, and where a value stands in it. Pure.
 *
 * Everything that is drawn comes from here: nothing knows a machine by name, so any machine can be drawn.
 */

/** `target` null: stays where it is and only acts. Paths are keys joined with dots, from the root, without its name. */
export type TransitionDefinition = {
  event: string;
  target: readonly string[] | null;
  guards: readonly string[];
  actions?: readonly string[];
  internal?: boolean;
};

export type StateDefinition = {
  id: string;
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  initial?: string | readonly string[] | null;
  states: Readonly<Record<string, StateDefinition>>;
  on: readonly TransitionDefinition[];
  /** Taken as soon as their guards hold. */
  always: readonly TransitionDefinition[];
  /** Taken after `delay`: milliseconds, or the name of a delay. */
  after: readonly (TransitionDefinition & { delay: number | string })[];
  invoke: readonly { id: string; src: string }[];
  tags?: readonly string[];
  description?: string | null;
};

/** An XState value: the key of the active child, or an object of them. */
export type StateValue = string | { readonly [key: string]: StateValue | undefined };

/** One state of a machine: its definition and its place. `path` of the root is empty. */
export type Node = {
  key: string;
  path: readonly string[];
  state: StateDefinition;
  parent: Node | undefined;
  /** Entered when its parent is. */
  isInitial: boolean;
};

/** Every state, parents before children, in the order of the definition. */
export function nodesOf(definition: StateDefinition): Node[] {
  const nodes: Node[] = [];
  const add = (key: string, state: StateDefinition, parent: Node | undefined): void => {
    const path = parent ? [...parent.path, key] : [];
    const node = { key, path, state, parent, isInitial: parent !== undefined && startsIn(parent, key, path) };
    nodes.push(node);
    for (const [child, definition] of Object.entries(state.states)) add(child, definition, node);
  };
  add(definition.id, definition, undefined);
  return nodes;
}

/** `initial` is told as a key, as a path, or as a list of one. */
function startsIn({ state }: Node, key: string, path: readonly string[]): boolean {
  const initial = typeof state.initial === 'string' ? [state.initial] : (state.initial ?? []);
  return initial.some((name) => name === key || name === path.join('.'));
}

/** The active states as dotted paths, ancestors too; the root is ''. Empty when there is no value. */
export function activePaths(value: StateValue | null | undefined): Set<string> {
  const active = new Set<string>();
  if (value === null || value === undefined) return active;
  const walk = (at: readonly string[], below: StateValue | undefined): void => {
    active.add(at.join('.'));
    if (below === undefined) return;
    if (typeof below === 'string') return void active.add([...at, below].join('.'));
    for (const [key, child] of Object.entries(below)) walk([...at, key], child);
  };
  walk([], value);
  return active;
}

/** The active states that have no active child: where the machine stands. */
export const leavesOf = (active: ReadonlySet<string>): string[] =>
  [...active].filter((path) => path !== '' && ![...active].some((other) => other.startsWith(`${path}.`)));
