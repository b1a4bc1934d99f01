/** A remote that does what the test says, and an engine with an agent that lives there. Closed after the test. */

import { onTestFinished } from 'vitest';
import { defineRemoteAgent } from '../../src/agents/remote/define.js';
import type { Agent } from '../../src/agents/types.js';
import type { MemoryStore } from '../../src/store/memory.js';
import { bench, type Bench } from '../support/engine.js';
import { RemoteServer, type Play, type RemoteOptions } from '../support/remote-agent.js';

export async function remoteServer(play: Play, options: Partial<RemoteOptions> = {}): Promise<RemoteServer> {
  const remote = await new RemoteServer({ play, ...options }).start();
  onTestFinished(() => remote.stop());
  return remote;
}

/** Does not wait between attempts, but gives way. */
const wait = (_: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) =>
    setImmediate(() => (signal.aborted ? reject(signal.reason as Error) : resolve())),
  );

export const agentAt = (remote: RemoteServer, more: object = {}): Agent =>
  defineRemoteAgent({ id: 'far', a2a: { url: remote.url, ...more } }, { wait });

export async function opened(agents: Agent[], store?: MemoryStore, limits = {}): Promise<Bench> {
  const world = await bench(agents, { ...(store ? { store } : {}), limits: { retry_ms: 1, ...limits } });
  onTestFinished(() => world.engine.close(0));
  return world;
}

export const spoken = (events: Awaited<ReturnType<Bench['events']>>): string => {
  let text = '';
  for (const event of events) {
    if (event.type === 'text_delta') text += event.data.delta;
    if (event.type === 'inference_retry') text = '';
  }
  return text;
};
