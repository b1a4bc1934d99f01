/**
 * Applies events to the actors of one thread, on a draft: the semantics of hosting machines as values.
 *
 * One event may set off others (to children, to parents); they are worked off in order until none is left, so a draft
 * always holds a settled tree. A machine that throws leaves the draft to be dropped by the caller. Paths: `''` is the
 * thread, `<run ordinal>` a run, `<run ordinal>/<call key>` a tool call.
 */

import { machines, type ActorKind } from '../machines/index.js';
import type { Emitted } from '../machines/emitted.js';
import type { TimerInput } from '../machines/logics.js';
import type { ActorCell, Fx } from './cells.js';
import type { Draft } from './draft.js';
import { record } from './recorder.js';
import { begin, step, type MachineEvent, type Snapshot, type Want } from './xstate.js';

/** Gives effect tokens that this thread has never given before. */
export type NextToken = () => number;

/** The event that an actor's first transition is by. */
const BIRTH = 'xstate.init';

/** A state that begins its effects anew was entered again. */
const beginsEffect = ({ want }: Want): boolean => want === 'child';

type Letter = [path: string, event: MachineEvent];

export const cellKey = (path: string) => `a${path}` as const;
export const parentOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');
export const childOf = (path: string, id: string): string => (path === '' ? id : `${path}/${id}`);
/** The ordinal of the run that an actor belongs to; the thread itself belongs to none. */
export const runOf = (path: string): number => Number(path.split('/', 1)[0]);

/** Creates the thread's own actor. */
export function openThread(draft: Draft, next: NextToken): void {
  deliver(draft, next, [], ['', 'thread', undefined]);
}

/** Applies one event to one actor and everything that follows from it. An event for an actor that is gone is dropped. */
export function apply(draft: Draft, next: NextToken, path: string, event: MachineEvent): void {
  deliver(draft, next, [[path, event]]);
}

function deliver(draft: Draft, next: NextToken, letters: Letter[], newborn?: [string, ActorKind, unknown]): void {
  const put = (
    path: string,
    kind: ActorKind,
    fx: ActorCell['fx'],
    [snapshot, wants]: [Snapshot, Want[]],
    event = BIRTH,
  ) => {
    const before = draft.get(cellKey(path));
    const stays = before !== undefined && isSame(before.snapshot.value, snapshot.value);
    const cell: ActorCell = { kind, snapshot, fx: { ...fx }, since: stays ? before.since : draft.at };
    draft.set(cellKey(path), cell);
    if (!stays || wants.some(beginsEffect))
      draft.transitions.push({ path, event, at: draft.at, from: before?.snapshot.value, cell });
    for (const want of wants) carryOut(path, cell, want);
    if (snapshot.status === 'done') drop(path);
  };

  const carryOut = (path: string, cell: ActorCell, want: Want): void => {
    switch (want.want) {
      case 'emit':
        return record(draft, runOf(path), want.event as unknown as Emitted);
      case 'send':
        return void letters.push([childOf(path, want.id), want.event]);
      case 'tellParent':
        return void letters.push([parentOf(path), want.event]);
      case 'stop':
        if (want.id in cell.fx) delete cell.fx[want.id];
        else drop(childOf(path, want.id));
        return;
      case 'child':
        if (Object.hasOwn(machines, want.src)) {
          const kind = want.src as ActorKind;
          return put(childOf(path, want.id), kind, {}, begin(kind, want.input));
        }
        return addEffect(cell, want);
    }
  };

  const addEffect = (cell: ActorCell, { id, src, input }: Extract<Want, { want: 'child' }>): void => {
    const fx: Fx = { src, input, token: 0 };
    if (src === 'timer') {
      const { ms } = input as TimerInput;
      if (ms === null) return;
      fx.due = draft.at + ms;
    }
    fx.token = next();
    cell.fx[id] = fx;
  };

  const drop = (path: string): void => {
    const cell = draft.get(cellKey(path));
    if (!cell) return;
    draft.set(cellKey(path), undefined);
    for (const id of Object.keys(cell.snapshot.children)) drop(childOf(path, id));
  };

  if (newborn) put(newborn[0], newborn[1], {}, begin(newborn[1], newborn[2]));
  for (let letter = letters.shift(); letter; letter = letters.shift()) {
    const [path, event] = letter;
    const cell = draft.get(cellKey(path));
    if (cell) put(path, cell.kind, cell.fx, step(cell.kind, cell.snapshot, event), event.type);
  }
}

/** State values are a name, or names within names. */
const isSame = (a: unknown, b: unknown): boolean => a === b || (typeof a === 'object' && sameText(a, b));
const sameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
