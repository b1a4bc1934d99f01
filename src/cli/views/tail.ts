/** Events of all runs, with the agent each belongs to. */

import type { RunEvent } from '../client/index.js';
import type { FilterKeys } from '../filter/keys.js';
import { events } from './events.js';
import type { View } from './view.js';

export type TailedEvent = RunEvent & { agent_id: string };

export const tailView: View<RunEvent> = events;

/** What the feed can be asked for it is asked for; runs of the past take the same parameters. */
export const tailKeys: FilterKeys<TailedEvent> = {
  agent: { of: 'text', read: ({ agent_id }) => agent_id, param: 'agent_id' },
  thread: { of: 'text', read: ({ thread_id }) => thread_id, param: 'thread_id' },
  run: { of: 'text', read: ({ run_id }) => run_id },
  type: { of: 'text', read: ({ type }) => type },
  tool: { of: 'text', read: ({ data }) => (typeof data.name === 'string' ? data.name : null) },
  step: { of: 'number', read: ({ step }) => step },
};
