/** The machine of what is open: its actor, newest value first from the feed, the rest from the server's own account. */

import type { ActorDetail, ActorItem, Machine as MachineRecord } from '../../client/index.js';
import type { Machine } from '../../rail/index.js';
import { source, type Model, type Source, type Target } from '../model/model.js';

const actorId = ({ run_id, thread_id }: Target): string => (run_id === null ? `thread:${thread_id}` : `run:${run_id}`);

export const liveItem = ({ fleet }: Model, { run_id, thread_id }: Target): ActorItem | undefined =>
  run_id === null ? fleet.threads.get(thread_id) : fleet.runs.get(run_id);

/** Asked again whenever the feed says that it moved. */
export function actorSource(model: Model, target: Target): Source<ActorDetail> {
  const item = liveItem(model, target);
  const stamp = item ? `${item.since} ${item.path.join('.')} ${item.queued}` : 'gone';
  return source(`actor ${actorId(target)}`, (client) => client.actor(actorId(target)), item ? 3_000 : 10_000, stamp);
}

/** Of the machine a target has; definitions change with the server's version alone. */
export const machineSource = (target: Target): Source<MachineRecord> => {
  const name = target.run_id === null ? 'thread' : 'run';
  return source(`machine ${name}`, (client) => client.machine(name), Infinity);
};

/** What the rail draws; undefined before it is known. */
export function machineOf(model: Model, target: Target): Machine | undefined {
  const definition = machineSource(target).read(model)?.definition;
  const detail = actorSource(model, target).read(model);
  const item = liveItem(model, target) ?? detail;
  if (!definition || !item) return undefined;
  const isSame = detail?.path.join('.') === item.path.join('.');
  return {
    definition,
    value: item.value as Machine['value'] & {},
    since: item.since,
    transitions: detail?.transitions ?? [],
    // What it would take now is known of the value it was asked for, and of no other.
    ...(detail && isSame ? { enabled_events: detail.enabled_events, deadlines: detail.deadlines } : {}),
  };
}
