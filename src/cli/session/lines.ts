/** Lines a person or a pipe says, one at a time. What was said early is kept until it is asked for. */

import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

export class Lines {
  #interface: Interface | undefined;
  readonly #said: string[] = [];
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(private readonly input: Readable) {}

  /** The next line; null when there will be none. Throws the signal's reason. */
  async next(signal: AbortSignal): Promise<string | null> {
    this.#open();
    while (this.#said.length === 0 && !this.#ended) {
      await new Promise<void>((resolve, reject) => {
        const abandon = (): void => reject(signal.reason as Error);
        this.#wake = () => {
          signal.removeEventListener('abort', abandon);
          resolve();
        };
        if (signal.aborted) abandon();
        else signal.addEventListener('abort', abandon, { once: true });
      });
    }
    return this.#said.shift() ?? null;
  }

  close(): void {
    this.#interface?.close();
  }

  #open(): void {
    // The terminal stays in its own line mode: it edits, and ctrl-c remains a signal.
    this.#interface ??= createInterface({ input: this.input, terminal: false })
      .on('line', (line) => {
        this.#said.push(line);
        this.#wake?.();
      })
      .on('close', () => {
        this.#ended = true;
        this.#wake?.();
      });
  }
}
