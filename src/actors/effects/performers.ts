/** Who performs the effects of a thread's actors, wired to the thread they run for. */

import type { AgentRegistry } from '../../agents/types.js';
import { runOf } from '../thread/apply.js';
import type { Performers } from '../thread/effects.js';
import type { RuntimeLimits } from '../host/limits.js';
import type { Logger } from '../logger.js';
import type { ThreadHost } from '../thread/thread-host.js';
import type { Message } from '../records.js';
import { askRemote } from './ask-remote.js';
import { watchPerformer, type DelegationPort } from './delegation.js';
import { executePerformer } from './execute.js';
import { inferPerformer } from './infer.js';
import { threadState } from './thread-state.js';

export type PerformerDeps = {
  agents: AgentRegistry;
  limits: Pick<RuntimeLimits, 'model_idle_ms' | 'tool_timeout_ms'>;
  logger: Logger;
  delegation: DelegationPort;
  /** The thread's messages, all of them, in order. */
  history(host: ThreadHost): Promise<readonly Message[]>;
};

/** The performers of a thread, by the `src` of the effects that its machines want. */
export function performersOf(host: ThreadHost, deps: PerformerDeps): Performers {
  const { agents, delegation, logger } = deps;
  const { model_idle_ms: idle_timeout_ms, tool_timeout_ms } = deps.limits;
  const recordOf = (path: string) => host.cells.get(`r${runOf(path)}`)!;
  return {
    infer: inferPerformer({
      agents,
      runOf: (path) => ({ agent_id: recordOf(path).agent_id, overrides: host.cells.get(`x${runOf(path)}`) }),
      history: () => deps.history(host),
      idle_timeout_ms,
      tool_timeout_ms,
      askRemote: (question, context) => askRemote(question, context, { host, idle_timeout_ms, logger }),
    }),
    execute: executePerformer({
      agents,
      runOf: recordOf,
      delegation,
      stateFor: (address) => threadState(host, address),
    }),
    watch: watchPerformer(delegation),
  };
}
