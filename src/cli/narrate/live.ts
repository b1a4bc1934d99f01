/** One run told to a person as it happens: its text as it streams, everything else a line of its own. */

import type { RunEvent } from '../client/index.js';
import type { Printer } from '../output/printer.js';
import { harmlessLines } from '../rail/segments.js';
import { deltaOf, describe } from './describe.js';

export class LiveStory {
  #midLine = false;
  #speaking: string | undefined;

  constructor(private readonly out: Printer) {}

  async tell(event: RunEvent): Promise<void> {
    const delta = deltaOf(event);
    if (delta !== undefined) return this.#speak(event.type, delta);
    const line = describe(event, this.out.ascii);
    if (!line) return;
    await this.endLine();
    await this.out.lines([line]);
  }

  /** What comes next begins in a new line. */
  async endLine(): Promise<void> {
    this.#speaking = undefined;
    if (!this.#midLine) return;
    this.#midLine = false;
    await this.out.text('\n');
  }

  /** Thoughts and words do not share a line. */
  async #speak(type: string, delta: string): Promise<void> {
    if (this.#speaking !== undefined && this.#speaking !== type) await this.endLine();
    this.#speaking = type;
    if (delta === '') return;
    const text = harmlessLines(delta);
    const dim = this.out.color && type === 'reasoning_delta';
    this.#midLine = !delta.endsWith('\n');
    await this.out.text(dim ? `\x1b[2m${text}\x1b[0m` : text);
  }
}
