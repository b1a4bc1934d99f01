/**
 * A remote's question as a question of the run here: a call of the tool `remote_input`, which asks (CONTRACT 5.2, kind
 * `input`). The answer is the call's result, and the next step sends it to the task that asked.
 */

import type { Message } from '@a2a-js/sdk';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { defineTool } from '../tool.js';
import { ToolEffect } from '../types.js';
import type { InferenceOutcome, ModelEvent } from '../model-call.js';
import { wordsOf } from './parts.js';

const REMOTE_INPUT = 'remote_input';

/** How every remote agent asks. */
export const remoteInput = defineTool({
  name: REMOTE_INPUT,
  description: 'Asks what the remote agent wants to know.',
  effect: ToolEffect.readOnly,
  input: z.object({ message: z.string() }),
  execute: ({ message }, context) => context.suspend({ message }),
});

type Call = InferenceOutcome['calls'][number];

export const questionCall = (question: Message | undefined): Call => ({
  id: uuidv7(),
  name: REMOTE_INPUT,
  arguments: { message: wordsOf(question?.parts) || 'the remote agent needs an answer to go on' },
});

/** What a model that made this call would have streamed. */
export const eventsOf = (call: Call): ModelEvent[] => [
  ['tool_call_start', { id: call.id, name: call.name }],
  ['tool_call_delta', { id: call.id, args_delta: JSON.stringify(call.arguments) }],
  ['tool_call_ready', { id: call.id, name: call.name, arguments: call.arguments }],
];
