/** Carries out one notification: finds the receiver as it is configured now and tells it. */

import type { Reads } from '../../store/reads.js';
import { readConfigs } from './push.js';
import { PushRefused, type DeliverPush, type PushErrand } from './types.js';

/** Rejects as `DeliverPush` does. A receiver that has been taken off the run is told nothing more. */
export async function runPush(
  { rno, config_id, delivery_id, news }: PushErrand,
  deliver: DeliverPush | null,
  store: Reads,
): Promise<void> {
  if (!deliver) throw new PushRefused('this server delivers no push notifications');
  const config = (await readConfigs(store, rno)).find(({ id }) => id === config_id);
  if (config) await deliver({ delivery_id, config, news });
}

/** Scheme and host of a receiver: its path and query may be secret. */
export async function receiverOf({ rno, config_id }: PushErrand, store: Reads): Promise<string | null> {
  const config = (await readConfigs(store, rno)).find(({ id }) => id === config_id);
  return config && URL.canParse(config.url) ? new URL(config.url).origin : null;
}
