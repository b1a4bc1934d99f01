/** What a hosted machine must not contain (DESIGN "Banned in machines"): each would break durability in silence. */

import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { AnyStateMachine, StateNode } from 'xstate';
import { machines } from './index.js';
import { setup, fromPromise, assign } from 'xstate';

/** Everything in the definition that is banned, as texts. */
function banned(machine: AnyStateMachine): string[] {
  const found: string[] = [];
  for (const node of (machine as unknown as { idMap: Map<string, StateNode> }).idMap.values()) {
    const at = node.path.join('.') || '(root)';
    if (node.after.length > 0) found.push(`${at}: after`);
    for (const invoke of node.invoke) {
      if (typeof invoke.src !== 'string' || invoke.src.startsWith('xstate.invoke')) found.push(`${at}: inline logic`);
      else if (!(invoke.src in machine.implementations.actors)) found.push(`${at}: unknown logic ${invoke.src}`);
      if (invoke.systemId) found.push(`${at}: systemId`);
    }
    if (JSON.stringify(node.config).includes('"syncSnapshot"')) found.push(`${at}: syncSnapshot`);
    const actions = [...node.entry, ...node.exit, ...[...node.transitions.values()].flat().flatMap((t) => t.actions)];
    for (const action of actions) {
      const { type, delay } = action as { type?: string; delay?: unknown };
      if (delay !== undefined) found.push(`${at}: delayed ${type}`);
      if (typeof action === 'function' && !('type' in action)) found.push(`${at}: inline action`);
    }
  }
  for (const [name, action] of Object.entries(machine.implementations.actions))
    if ((action as { delay?: unknown } | undefined)?.delay !== undefined) found.push(`${name}: delayed`);
  return found;
}

test.each(Object.keys(machines))('the %s machine has nothing of the kind', (kind) => {
  expect(banned(machines[kind as keyof typeof machines].machine)).toEqual([]);
});

test('the walker sees what it must see', () => {
  const bad = setup({ actors: { known: fromPromise(async () => 1) } }).createMachine({
    initial: 'a',
    states: {
      a: { after: { 10: 'b' }, invoke: { src: fromPromise(async () => 1) as never } },
      b: { invoke: { src: 'known', systemId: 'x' }, entry: assign(() => ({})) },
    },
  });
  expect(banned(bad).join('\n')).toMatch(/a: after[\s\S]*a: inline logic[\s\S]*b: systemId/);
});

test('no clock, no randomness, no sendParent and no spawn in assign in the sources of the machines', () => {
  const folder = new URL('.', import.meta.url);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))) {
    const code = readFileSync(new URL(file, folder), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(
      code.match(/Date\.now|new Date|performance\.|Math\.random|uuid|sendParent|spawn\(|setTimeout/g),
      file,
    ).toBeNull();
  }
});
