/** Which actors: the filters that the list of actors and the feed share (CONTRACT 9.1). */

import type { ActorFilter } from '../../actors/inspection.js';
import { catalogue, machineOf } from '../../actors/machines/catalogue.js';
import type { StateDefinition } from '../../actors/machines/definition.js';
import { query } from '../query.js';

export const actorKinds = ['thread', 'run', 'tool_call'] as const;

/** Every state of the machines that have actors, as dotted paths. */
const actorStates: readonly string[] = [
  ...new Set(Object.values(machineOf).flatMap((name) => pathsIn(catalogue[name].definition, []))),
];

function pathsIn({ states }: StateDefinition, path: readonly string[]): string[] {
  return Object.entries(states).flatMap(([key, state]) => {
    const own = [...path, key];
    return [own.join('.'), ...pathsIn(state, own)];
  });
}

export const filters = {
  kind: query.words(actorKinds),
  state: query.words(actorStates, 'A state, or several separated by commas; `running` includes `running.acting`.'),
  thread_id: query.id(),
  run_id: query.id(),
  agent_id: query.id(),
};

export function filterOf({
  kind,
  state,
  thread_id,
  run_id,
  agent_id,
}: { kind: (typeof actorKinds)[number][] | undefined; state: string[] | undefined } & {
  [K in 'thread_id' | 'run_id' | 'agent_id']: string | undefined;
}): ActorFilter {
  return {
    ...(kind ? { kinds: kind } : {}),
    ...(state ? { states: state } : {}),
    ...(thread_id === undefined ? {} : { thread_id }),
    ...(run_id === undefined ? {} : { run_id }),
    ...(agent_id === undefined ? {} : { agent_id }),
  };
}
