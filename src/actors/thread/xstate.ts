/**
 * The one place that touches XState's engine: machine snapshots as values.
 *
 * `begin` and `step` are XState's pure transitions: they compute, they execute nothing. What a machine wants done comes
 * back as a short list of `Want`s, the only vocabulary the rest of the host knows. `toRow`/`fromRow` turn a snapshot
 * into plain JSON and back; children are kept as handles (id and source), because each child is a row of its own.
 *
 * A scope is shared by all transitions of a machine instead of being built for each (the public `transition()` builds an
 * inert actor per call, which costs twice the transition itself); `differential.test.ts` compares it with stock actors.
 */

import { Actor, createActor, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import type { JsonValue } from '../../json.js';
import { machines, type ActorKind } from '../machines/index.js';

export type MachineEvent = { type: string; [key: string]: unknown };
export type Snapshot = AnyMachineSnapshot;

/** What a transition asks of the host, in order. */
export type Want =
  | { want: 'child'; id: string; src: string; input: unknown }
  | { want: 'stop'; id: string }
  | { want: 'send'; id: string; event: MachineEvent }
  | { want: 'tellParent'; event: MachineEvent }
  | { want: 'emit'; event: MachineEvent };

/** A snapshot at rest. `machine` is `<kind>@<version>`. */
export type SnapshotRow = {
  machine: string;
  value: JsonValue;
  context: JsonValue;
  children: [id: string, src: string][];
};

/** A stored snapshot that this build cannot read: nothing was changed; the run it belongs to must end. */
export class UnreadableSnapshot extends Error {
  override readonly name = 'UnreadableSnapshot';
}

type Action = { type: string; params?: Record<string, unknown> };
type Scope = Parameters<AnyStateMachine['transition']>[2];

const wantOf = ({ type, params = {} }: Action): Want => {
  switch (type) {
    case 'xstate.spawnChild':
      // The action's own `id` may still be an expression; the actor made for it has the answer.
      return {
        want: 'child',
        id: (params['actorRef'] as { id: string }).id,
        src: params['src'] as string,
        input: params['input'],
      };
    case 'xstate.stopChild':
      return { want: 'stop', id: params['id'] as string };
    case 'xstate.sendTo':
      return { want: 'send', id: (params['to'] as { id: string }).id, event: params['event'] as MachineEvent };
    case 'xstate.emit':
      return { want: 'emit', event: params['event'] as MachineEvent };
    case 'toParent':
      return { want: 'tellParent', event: params as MachineEvent };
    default:
      throw new Error(`the host knows no action ${type}`);
  }
};

/**
 * The machines as the host runs them: children and effects are named, never made. XState builds an actor for each child
 * it spawns, and would compute a child machine's whole beginning for nothing; these have none.
 */
const nobody = {
  transition: (state: object) => state,
  getInitialSnapshot: () => nothing,
  getPersistedSnapshot: (state: object) => state,
};
const nothing = Object.freeze({ status: 'active', output: undefined, error: undefined });

const hosted = Object.fromEntries(
  Object.entries(machines).map(([kind, { machine }]) => {
    const actors = Object.fromEntries(Object.keys(machine.implementations.actors).map((src) => [src, nobody]));
    return [kind, machine.provide({ actors: actors as never })];
  }),
) as Record<ActorKind, AnyStateMachine>;

/** Collects the actions of the transition under way; transitions are synchronous and never nest. */
let collected: Action[] = [];
const scopes = new Map<AnyStateMachine, Scope>();

function scopeOf(machine: AnyStateMachine): Scope {
  const known = scopes.get(machine);
  if (known) return known;
  const rest = machine.resolveState({ value: machine.config.initial as string, context: {} });
  const stub = createActor(machine, { snapshot: rest });
  const scope = {
    self: stub,
    id: '',
    sessionId: '',
    logger: () => {},
    defer: () => {},
    stopChild: () => {},
    emit: () => {},
    system: stub.system,
    actionExecutor: (action: Action) => void collected.push(action),
  } as unknown as Scope;
  scopes.set(machine, scope);
  return scope;
}

function collect(compute: () => Snapshot): [Snapshot, Want[]] {
  collected = [];
  const snapshot = compute();
  const wants = collected.map(wantOf);
  if (snapshot.status === 'error') throw snapshot.error;
  keepHandles(snapshot.children);
  return [snapshot, wants];
}

/** Children that were spawned just now become what those of a stored snapshot are: an actor of XState's takes 4 kB. */
function keepHandles(children: Snapshot['children']): void {
  for (const id in children) {
    const child = children[id];
    if (child instanceof Actor) children[id] = { id, src: child.src } as typeof child;
  }
}

const beginnings = new Map<ActorKind, [Snapshot, Want[]]>();

/** The first snapshot of a new actor and what it wants. */
export function begin(kind: ActorKind, input?: unknown): [Snapshot, Want[]] {
  const machine = hosted[kind];
  // A machine without input begins the same way each time, and snapshots are never changed.
  const known = input === undefined ? beginnings.get(kind) : undefined;
  if (known) return known;
  const beginning = collect(() => machine.getInitialSnapshot(scopeOf(machine), input) as Snapshot);
  if (input === undefined) beginnings.set(kind, beginning);
  return beginning;
}

/** The next snapshot; throws what a guard or action throws, with nothing changed. */
export function step(kind: ActorKind, snapshot: Snapshot, event: MachineEvent): [Snapshot, Want[]] {
  const machine = hosted[kind];
  return collect(() => machine.transition(snapshot, event, scopeOf(machine)) as Snapshot);
}

/** A snapshot as plain JSON. */
export function toRow(kind: ActorKind, snapshot: Snapshot): SnapshotRow {
  const children: [string, string][] = [];
  for (const id in snapshot.children) {
    const child = snapshot.children[id] as { src?: unknown } | undefined;
    if (child) children.push([id, String(child.src)]);
  }
  return {
    machine: `${kind}@${machines[kind].version}`,
    value: snapshot.value as JsonValue,
    context: snapshot.context as JsonValue,
    children,
  };
}

/** Reads a row; throws `UnreadableSnapshot` naming what is unknown, where XState would drop it in silence. */
export function fromRow(row: SnapshotRow): { kind: ActorKind; snapshot: Snapshot } {
  const [kind, version] = row.machine.split('@') as [ActorKind, string];
  const known = Object.hasOwn(machines, kind) ? machines[kind] : undefined;
  if (known === undefined || known.version !== Number(version))
    throw new UnreadableSnapshot(`unknown machine ${row.machine}`);
  const sources = known.machine.implementations.actors as Record<string, unknown>;
  for (const [id, src] of row.children)
    if (!Object.hasOwn(sources, src)) throw new UnreadableSnapshot(`unknown child ${src} (${id}) of ${row.machine}`);
  try {
    const snapshot = hosted[kind].resolveState({ value: row.value as never, context: row.context }) as Snapshot;
    const children = Object.fromEntries(row.children.map(([id, src]) => [id, { id, src }]));
    return { kind, snapshot: Object.assign(snapshot, { children }) };
  } catch (cause) {
    throw new UnreadableSnapshot(`unknown state ${JSON.stringify(row.value)} of ${row.machine}`, { cause });
  }
}
