/**
 * The machines the host knows, by kind. `version` rises when a stored row of an older build could no longer be read as
 * one of this build; a row of an unknown machine or version ends its run, it is never guessed at.
 */

import type { AnyStateMachine } from 'xstate';
import { runMachine } from './run.js';
import { threadMachine } from './thread.js';
import { toolCallMachine } from './tool-call.js';

export type ActorKind = 'thread' | 'run' | 'tool_call';

export const machines: Record<ActorKind, { machine: AnyStateMachine; version: number }> = {
  thread: { machine: threadMachine, version: 1 },
  run: { machine: runMachine, version: 1 },
  tool_call: { machine: toolCallMachine, version: 1 },
};

export { runMachine, threadMachine, toolCallMachine };
