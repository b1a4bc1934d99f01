/** `GET /v1/machines`: the machines as JSON, for whoever draws them (CONTRACT 9.1). */

import { z } from 'zod';
import { catalogue, machineNames, sizeOf, type MachineName } from '../../actors/machines/catalogue.js';
import type { StateDefinition } from '../../actors/machines/definition.js';
import type { Handler } from '../context.js';
import { HttpRefusal } from '../errors.js';
import { segment } from './segment.js';

const text = z.string();

const transition = z.object({
  event: text,
  target: z.array(text).nullable().describe('absolute dotted paths; null: acts and stays'),
  guards: z.array(text),
  actions: z.array(text),
  internal: z.boolean().describe('the source state is not left and entered again'),
});

const state: z.ZodType<StateDefinition> = z
  .object({
    id: text,
    initial: text.nullable(),
    type: z.enum(['atomic', 'compound', 'parallel', 'final', 'history']),
    get states() {
      return z.record(text, state);
    },
    on: z.array(transition),
    always: z.array(transition),
    after: z.array(transition.extend({ delay: z.union([z.number(), text]) })),
    invoke: z.array(z.object({ id: text, src: text })),
    entry: z.array(text),
    exit: z.array(text),
    tags: z.array(text),
    description: text.optional(),
  })
  .meta({ id: 'MachineState' });

const named = { name: z.enum(machineNames), version: z.int() };
export const machineList = z.object({ items: z.array(z.object({ ...named, states: z.int() })) });
export const machineRecord = z.object({ ...named, definition: state }).meta({ id: 'Machine' });

export const listMachines: Handler = function getMachines(ctx) {
  const items = machineNames.map((name) => ({
    name,
    version: catalogue[name].version,
    states: sizeOf(catalogue[name]),
  }));
  ctx.body = { items };
};

export const getMachine: Handler = function getOneMachine(ctx) {
  const name = segment(ctx, 3, 'machine name');
  if (!isMachine(name)) throw new HttpRefusal(404, `machine not found: ${name}`);
  ctx.body = catalogue[name];
};

const isMachine = (name: string): name is MachineName => Object.hasOwn(catalogue, name);
