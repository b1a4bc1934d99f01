/** How threads come to rest before the engine closes: a `once` tool that runs is given time, so that nothing is in doubt. */

import type { ToolCallContext } from '../machines/tool-call.js';
import type { Clock } from '../time/clock.js';
import type { ActorCell } from '../thread/cells.js';
import type { ThreadHost } from '../thread/thread-host.js';

/** Closes every thread: those that run a `once` tool when it has ended. Resolves then, at the latest after `grace_ms`. */
export async function quiesce(hosts: Iterable<ThreadHost>, clock: Clock, grace_ms: number): Promise<void> {
  let cancel = () => {};
  const grace = new Promise<void>((resolve) => {
    cancel = clock.at(clock.now() + grace_ms, resolve);
  });
  await Promise.race([Promise.all(Array.from(hosts, putToRest)), grace]);
  cancel();
}

/** Closes the thread as soon as its step is durable and no `once` tool of it runs. It begins none that nobody waits for. */
async function putToRest(host: ThreadHost): Promise<void> {
  for (;;) {
    await host.rest();
    const running = host.effects.settled(({ path }) => isOnce(host.cells.get(`a${path}`)));
    if (running.length === 0) return host.close();
    await Promise.all(running);
  }
}

const isOnce = (cell: ActorCell | undefined): boolean =>
  cell?.kind === 'tool_call' && (cell.snapshot.context as ToolCallContext).plan.effect === 'once';
