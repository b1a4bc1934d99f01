/** The routes that show what is going on: actors, machines, the feed, figures (CONTRACT 9.1). */

import type { Services } from '../context.js';
import { json, route, type Route } from '../openapi/route.js';
import { Scope } from '../scopes.js';
import { actorDetail, actorPage, actorsQuery, getActor, listActors } from './actors.js';
import { getMachine, listMachines, machineList, machineRecord } from './machines.js';

export function liveRoutes(services: Services): Route[] {
  const common = { tag: 'operator', method: 'get', scopes: [Scope.operator] } as const;
  return [
    route({
      ...common,
      path: '/v1/actors',
      id: 'listActors',
      summary: 'Live actors: threads at work, open runs, open tool calls',
      query: actorsQuery,
      answers: { 200: json(actorPage, 'a page of actors, the oldest state first') },
      handle: listActors(services),
    }),
    route({
      ...common,
      path: '/v1/actors/{actor_id}',
      id: 'getActor',
      summary: 'An actor in full: context, what it reacts to, deadlines, effects, last transitions',
      description: 'Also of a thread that is idle and a run that is queued or done, as their records have them.',
      answers: { 200: json(actorDetail, 'the actor') },
      refusals: [404],
      handle: getActor(services),
    }),
    route({
      ...common,
      path: '/v1/machines',
      id: 'listMachines',
      summary: 'The machines by name',
      engine: 'not needed',
      answers: { 200: json(machineList, 'all of them') },
      handle: listMachines,
    }),
    route({
      ...common,
      path: '/v1/machines/{name}',
      id: 'getMachine',
      summary: 'A machine as data',
      engine: 'not needed',
      answers: { 200: json(machineRecord, 'every state and transition') },
      refusals: [404],
      handle: getMachine,
    }),
  ];
}
