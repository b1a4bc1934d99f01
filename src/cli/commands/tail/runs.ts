/** What a tail knows of the runs it tells of: how far each has come, and whose it is. Of old ones it forgets. */

import { CliError, type Client, type RunEvent } from '../../client/index.js';

const MOST = 20_000;

export class Runs {
  readonly #seen = new Map<string, number>();
  readonly #agents = new Map<string, string>();

  constructor(private readonly client: Client) {}

  /** The last event that was told, -1 for none. */
  lastOf(run: string): number {
    return this.#seen.get(run) ?? -1;
  }

  /** Whether the event comes behind the last one of its run. It is then the last one. */
  isNews({ run_id, seq }: RunEvent): boolean {
    if (seq <= this.lastOf(run_id)) return false;
    remember(this.#seen, run_id, seq);
    return true;
  }

  /** An event names its run alone; empty when the run is gone. */
  async agentOf({ type, run_id, data }: RunEvent): Promise<string> {
    const known = type === 'run_start' ? (data.agent_id as string) : this.#agents.get(run_id);
    const agent = known ?? (await this.#lookUp(run_id));
    remember(this.#agents, run_id, agent);
    return agent;
  }

  async #lookUp(run: string): Promise<string> {
    try {
      return (await this.client.run(run)).agent_id;
    } catch (error) {
      if (error instanceof CliError && error.status === 404) return '';
      throw error;
    }
  }
}

/** The newest is the last of the map. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value!);
}
