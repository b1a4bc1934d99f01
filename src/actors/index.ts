/** The door of the actors: the engine port and how to open the engine of this process. */

export { openEngine, type EngineOptions } from './open-engine.js';
export * from './engine.js';
export * from './events.js';
export * from './page.js';
export * from './records.js';
export {
  PushRefused,
  type DeliverPush,
  type PushConfig,
  type PushDeadLetter,
  type PushDelivery,
  type PushNews,
} from './push/types.js';
export { defaultLimits, type RuntimeLimits } from './host/limits.js';
export { systemClock, type Clock } from './time/clock.js';
export type { Logger } from './logger.js';
