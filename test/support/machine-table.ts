/**
 * State × event tables: every pair of a machine is written down, either with the state it leads to, as ignored on
 * purpose, or as refused by XState. A state or an event that the machine has and the table has not fails the test, and so does the reverse.
 */

import { expect, test } from 'vitest';
import type { StateNode } from 'xstate';
import { fromRow, step, toRow, type MachineEvent, type Snapshot, type Want } from '../../src/actors/thread/xstate.js';
import { machines, type ActorKind } from '../../src/actors/machines/index.js';
import type { JsonValue } from '../../src/json.js';

/** A pair that means nothing: the snapshot stays as it is and nothing is wanted. */
export const ignored = '-';

/**
 * XState itself refuses the pair: a failure of an effect that the state does not have. The host never delivers one (its
 * effect token is stale), and a machine that met it all the same would change nothing.
 */
export const refused = '!';

export type Given = { value: JsonValue; context: unknown; children?: [id: string, src: string][] };

export type Table = {
  kind: ActorKind;
  states: { [name: string]: Given };
  events: { [name: string]: MachineEvent };
  /** `rows[state][event]`: the state the pair leads to, or `ignored`. */
  rows: { [state: string]: { [event: string]: string } };
};

/** `a.b` for `{a: 'b'}`. */
export const pathOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value as object)
        .map(([key, inner]) => `${key}.${pathOf(inner)}`)
        .join('|');

export function take(
  kind: ActorKind,
  given: Given,
  event: MachineEvent,
): { path: string; wants: Want[]; context: unknown } {
  const { snapshot } = fromRow({
    machine: `${kind}@${machines[kind].version}`,
    value: given.value,
    context: structuredClone(given.context) as JsonValue,
    children: given.children ?? [],
  });
  const before = JSON.stringify(toRow(kind, snapshot));
  let next: Snapshot, wants: Want[];
  try {
    [next, wants] = step(kind, snapshot, event);
  } catch {
    return { path: refused, wants: [], context: given.context };
  }
  const changed = JSON.stringify(toRow(kind, next)) !== before || wants.length > 0;
  return { path: changed ? pathOf(next.value) : ignored, wants, context: next.context };
}

/** One test per pair, and one that the table is whole. */
export function testTable({ kind, states, events, rows }: Table): void {
  test(`${kind}: the table names every state and every event`, () => {
    const machine = machines[kind].machine as unknown as { idMap: Map<string, StateNode> };
    const leaves = [...machine.idMap.values()]
      .filter((node) => node.type === 'atomic')
      .map((node) => node.path.join('.'));
    expect(
      Object.values(states)
        .map((given) => pathOf(given.value))
        .sort(),
    ).toEqual(leaves.sort());
    const heard = new Set([...machine.idMap.values()].flatMap((node) => node.ownEvents));
    expect([...new Set(Object.values(events).map((event) => event.type))].sort()).toEqual([...heard].sort());
    for (const state in states)
      expect(Object.keys(rows[state] ?? {}).sort(), state).toEqual(Object.keys(events).sort());
  });
  for (const [state, given] of Object.entries(states))
    for (const [name, event] of Object.entries(events))
      test(`${kind}: ${state} × ${name} → ${rows[state]?.[name]}`, () => {
        expect(take(kind, given, event).path).toBe(rows[state]?.[name]);
      });
}
