/** The machines that can be looked at, by the names clients know them by (CONTRACT 9.1). */

import { createMachine } from 'xstate';
import { countStates, definitionOf, type StateDefinition } from './definition.js';
import { machines, type ActorKind } from './index.js';
import { mailboxEntryDefinition } from './mailbox-entry.js';

export const machineNames = ['thread', 'run', 'tool-call', 'mailbox-entry'] as const;
export type MachineName = (typeof machineNames)[number];

/** `version` is that of the rows which the machine's actors are kept in. */
export type MachineEntry = { name: MachineName; version: number; definition: StateDefinition };

/** What an actor's machine is called. */
export const machineOf: Record<ActorKind, MachineName> = { thread: 'thread', run: 'run', tool_call: 'tool-call' };

const entry = (name: MachineName, kind: ActorKind): MachineEntry => ({
  name,
  version: machines[kind].version,
  definition: definitionOf(machines[kind].machine),
});

/** A table that is run without XState; as a machine it is drawn like the others. */
const mailboxEntry: MachineEntry = {
  name: 'mailbox-entry',
  version: 1,
  definition: definitionOf(createMachine(mailboxEntryDefinition as Parameters<typeof createMachine>[0])),
};

/** All of them; made once. */
export const catalogue: Readonly<Record<MachineName, MachineEntry>> = {
  thread: entry('thread', 'thread'),
  run: entry('run', 'run'),
  'tool-call': entry('tool-call', 'tool_call'),
  'mailbox-entry': mailboxEntry,
};

/** How many states a machine has, the root left out. */
export const sizeOf = ({ definition }: MachineEntry): number => countStates(definition);
