/** The machines as JSON against the XState objects: every state and every transition is there, and nothing else. */

import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { createMachine, getNextTransitions } from 'xstate';
import { describe, expect, it } from 'vitest';
import { catalogue, machineNames, machineOf, sizeOf } from './catalogue.js';
import { definitionOf, enabledEvents, pathOf, type StateDefinition, type TransitionDefinition } from './definition.js';
import { machines, type ActorKind } from './index.js';
import { mailboxEntryDefinition } from './mailbox-entry.js';

const all: [string, AnyStateMachine, StateDefinition][] = [
  ...(Object.keys(machines) as ActorKind[]).map((kind): [string, AnyStateMachine, StateDefinition] => [
    kind,
    machines[kind].machine,
    catalogue[machineOf[kind]].definition,
  ]),
  [
    'mailbox entry',
    createMachine(mailboxEntryDefinition as Parameters<typeof createMachine>[0]),
    catalogue['mailbox-entry'].definition,
  ],
];

/** States by dotted path. */
function statesOf(state: StateDefinition, path: string[] = []): Map<string, StateDefinition> {
  const found = new Map([[path.join('.'), state]]);
  for (const [key, child] of Object.entries(state.states))
    for (const [name, inner] of statesOf(child, [...path, key])) found.set(name, inner);
  return found;
}

const nodesOf = (node: AnyStateNode): AnyStateNode[] => [node, ...Object.values(node.states).flatMap(nodesOf)];

describe.each(all)('%s', (_, machine, definition) => {
  const states = statesOf(definition);

  it('is plain JSON', () => {
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
    expect(JSON.stringify(definition)).not.toContain('(inline)');
  });

  it('has every state', () => {
    expect([...states.keys()].sort()).toEqual(
      nodesOf(machine.root)
        .map(({ path }) => path.join('.'))
        .sort(),
    );
    for (const node of nodesOf(machine.root)) {
      const state = states.get(node.path.join('.'))!;
      expect(state.type).toBe(node.type);
      expect(state.initial).toBe(node.config.initial ?? null);
      expect(state.invoke.map(({ id, src }) => [id, src])).toEqual(node.invoke.map(({ id, src }) => [id, src]));
    }
  });

  it('has every transition, in the order in which they are tried', () => {
    for (const node of nodesOf(machine.root)) {
      const { on, always, after } = states.get(node.path.join('.'))!;
      // As the author wrote them: one or many, a target alone or an object.
      const written = (part: unknown): unknown[] => (part === undefined ? [] : Array.isArray(part) ? part : [part]);
      const config = node.config as { on?: Record<string, unknown>; always?: unknown; after?: object };
      const events = Object.entries(config.on ?? {}).flatMap(([event, taken]) =>
        written(taken).map((one) => [event, one]),
      );
      expect(on.map(({ event }) => event)).toEqual(events.map(([event]) => event));
      on.forEach((transition, i) => agree(transition, events[i]![1]));
      expect(always).toHaveLength(written(config.always).length);
      always.forEach((transition, i) => agree(transition, written(config.always)[i]));
      expect(after).toEqual([]);
    }
  });

  it('has targets that are states', () => {
    for (const { on, always } of states.values())
      for (const { target } of [...on, ...always])
        for (const path of target ?? []) expect([...states.keys()]).toContain(path);
  });

  it('says what XState would take in each state', () => {
    for (const [path, state] of states) {
      if (path === '' || state.type === 'compound') continue;
      const value = valueOf(path.split('.'));
      const snapshot = machine.resolveState({ value, context: {} });
      const theirs = getNextTransitions(snapshot).map(({ eventType }) => eventType as string);
      const ours = enabledEvents(definition, value).map(({ event }) => event);
      expect(new Set(ours)).toEqual(new Set(theirs));
    }
  });
});

const nameOf = (part: unknown): unknown => (typeof part === 'string' ? part : (part as { type: unknown }).type);
const namesOf = (part: unknown): unknown[] =>
  part === undefined ? [] : Array.isArray(part) ? part.map(nameOf) : [nameOf(part)];

function agree({ target, guards, actions, internal }: TransitionDefinition, written: unknown): void {
  const config = (typeof written === 'string' ? { target: written } : written) as {
    target?: string;
    guard?: unknown;
    actions?: unknown;
    reenter?: boolean;
  };
  expect(guards).toEqual(namesOf(config.guard));
  expect(actions).toEqual(namesOf(config.actions));
  expect(internal).toBe(config.reenter !== true);
  if (config.target === undefined) return expect(target).toBeNull();
  const last = config.target
    .split('.')
    .at(-1)!
    .replace(/^#\w+$/, '');
  expect(target).toHaveLength(1);
  expect(target![0]!.split('.').at(-1)).toBe(last);
}

const valueOf = (path: string[]): never =>
  (path.length === 1 ? path[0]! : { [path[0]!]: valueOf(path.slice(1)) }) as never;

describe('names and shapes', () => {
  it('has four machines', () => {
    expect([...machineNames].map((name) => [name, sizeOf(catalogue[name])])).toEqual([
      ['thread', 3],
      ['run', 7],
      ['tool-call', 12],
      ['mailbox-entry', 6],
    ]);
  });

  it('resolves shorthand, relative and absolute targets, delays and inline code of any machine', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'a',
      states: {
        a: {
          initial: 'b',
          tags: ['busy'],
          description: 'works',
          on: { OUT: '#m.z', IN: { target: '.c', reenter: true, guard: () => true, actions: [{ type: 'log' }] } },
          states: { b: { on: { NEXT: 'c' } }, c: { after: { 100: '#m.z' } } },
        },
        z: { type: 'final' },
      },
    });
    const { a } = definitionOf(machine).states;
    expect(a).toMatchObject({ tags: ['busy'], description: 'works', initial: 'b' });
    expect(a!.on).toEqual([
      { event: 'OUT', target: ['z'], guards: [], actions: [], internal: true },
      { event: 'IN', target: ['a.c'], guards: [expect.any(String)], actions: ['log'], internal: false },
    ]);
    expect(a!.states['b']!.on[0]!.target).toEqual(['a.c']);
    expect(a!.states['c']!.after).toMatchObject([{ delay: 100, target: ['z'] }]);
    expect(a!.states['c']!.on).toEqual([]);
  });

  it('reads values as paths', () => {
    expect(pathOf('idle')).toEqual(['idle']);
    expect(pathOf({ running: { deep: 'er' } })).toEqual(['running', 'deep', 'er']);
    expect(pathOf({ one: { a: 'x' }, two: { b: 'y' } })).toEqual(['one', 'a', 'x']);
    expect(pathOf({})).toEqual([]);
  });
});
