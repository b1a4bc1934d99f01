/**
 * Who is told of a run: kept in a row of the run's, at most 16 of them. Those of an open run are part of its thread's
 * state, so that a change and what it tells are one commit.
 */

import { badRequest } from '../../errors.js';
import type { PushConfig } from './types.js';

const MAX_CONFIGS = 16;

/** Adds a receiver, or replaces the one of its id. Throws `bad_request` when there are too many. */
export function withConfig(configs: readonly PushConfig[], config: PushConfig): PushConfig[] {
  const others = configs.filter(({ id }) => id !== config.id);
  if (others.length >= MAX_CONFIGS)
    throw badRequest(`a run has at most ${MAX_CONFIGS} push notification configurations`);
  return [...others, config];
}

export const withoutConfig = (configs: readonly PushConfig[], id: string): PushConfig[] =>
  configs.filter((config) => config.id !== id);
