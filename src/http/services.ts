/** What the routes of all surfaces share: the services of this process. */

import type { Logger } from 'pino';
import type { Engine, Principal } from '../actors/engine.js';
import type { AgentRegistry } from '../agents/types.js';
import type { Metrics } from './metrics/metrics.js';
import type { TargetRules } from './push/target.js';
import type { SseHub } from './sse.js';

export type Services = {
  /**
   * The engine as this caller may use it: one that is bound to a resource finds and touches nothing else (`tenant.ts`).
   * Throws `not_initialised` before the runtime is open and after shutdown began (CONTRACT 0.8).
   */
  engine: (principal: Principal) => Engine;
  agents: AgentRegistry;
  /** Callers have to show a token. */
  authenticated: boolean;
  /** Who may be told of a run by push notifications; null: nobody. */
  push: TargetRules | null;
  sse: SseHub;
  metrics: Pick<Metrics, 'text'>;
  logger: Logger;
};
