/**
 * What is fetched beside the feed, as a function of what is looked at.
 *
 * A screen does not fetch: it *wants* (`Want`), and whoever runs it keeps what is wanted fresh. What nobody wants any more
 * is forgotten, so memory follows the screen. A want is stale after `every` milliseconds, or as soon as its `stamp` has
 * changed: though no sooner than half a second behind the last answer, for a stamp may change with every picture. No I/O
 * here.
 */

import type { Client } from '../../client/index.js';

export type Want<T = unknown> = {
  key: string;
  load: (client: Client) => Promise<T>;
  /** Milliseconds after which it is asked again; Infinity: once. */
  every: number;
  /** A change of it says that the server has something new. */
  stamp?: string;
};

export type Loaded = { value: unknown; error: string | null; at: number; stamp: string | undefined };

/** An answer is good for so long, whatever its stamp. */
const LEAST_MS = 500;
/** What could not be had is asked for again after this long, or sooner. */
const RETRY_MS = 2_000;

export class Resources {
  #loaded = new Map<string, Loaded>();
  #loading = new Set<string>();

  /** The newest value; undefined before the first answer. An error does not take the value away. */
  value<T>(key: string): T | undefined {
    return this.#loaded.get(key)?.value as T | undefined;
  }

  error(key: string): string | null {
    return this.#loaded.get(key)?.error ?? null;
  }

  /** Which of the wants have to be asked now. Forgets what is not among them. */
  due(wants: readonly Want[], now: number): Want[] {
    const keys = new Set(wants.map(({ key }) => key));
    for (const key of this.#loaded.keys()) if (!keys.has(key)) this.#loaded.delete(key);
    return wants.filter(({ key, every, stamp }) => {
      if (this.#loading.has(key)) return false;
      const loaded = this.#loaded.get(key);
      if (!loaded) return true;
      const patience = loaded.error === null ? every : Math.min(every, RETRY_MS);
      return now - loaded.at >= (loaded.stamp === stamp ? patience : Math.min(patience, LEAST_MS));
    });
  }

  begin(key: string): void {
    this.#loading.add(key);
  }

  end(key: string, stamp: string | undefined, at: number, result: { value: unknown } | { error: string }): void {
    this.#loading.delete(key);
    const before = this.#loaded.get(key);
    if ('error' in result) this.#loaded.set(key, { value: before?.value, error: result.error, at, stamp });
    else this.#loaded.set(key, { value: result.value, error: null, at, stamp });
  }

  /** What has been changed by us is asked again. */
  expire(): void {
    for (const [key, loaded] of this.#loaded) this.#loaded.set(key, { ...loaded, at: -Infinity, stamp: loaded.stamp });
  }
}
