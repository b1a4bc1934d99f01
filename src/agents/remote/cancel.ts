/** Stopping a task at a remote: asked until it is known to be over, or for as long as the caller waits. */

import { InferenceError } from '../model-call.js';
import { faultOf } from './faults.js';
import type { Link } from './link.js';
import type { RemoteTask } from './types.js';

/** What a remote may take to answer. */
const TIMEOUT_MS = 30_000;

/** `RemoteAgent.cancel`: one attempt. A task that has ended, or is unknown there, is stopped. */
export async function cancel(link: Link, { task_id }: RemoteTask, caller?: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = caller ? AbortSignal.any([caller, timeout]) : timeout;
  try {
    const { client } = await link.open();
    await client.cancelTask({ tenant: '', id: task_id, metadata: undefined }, { signal });
  } catch (error) {
    const { is, why, retry_after_ms } = faultOf(error);
    if (is === 'gone' || is === 'closed') return;
    link.drop();
    throw new InferenceError(why, is === 'away', retry_after_ms);
  }
}
