/**
 * What a command works with: the server, the output, the person in front of it, and the signal that ends it.
 *
 * ctrl-c and `--timeout` abort the signal with the error the command ends with, so whatever waits is over at once. A
 * command that has a use for ctrl-c takes it over (`interruptWith`).
 */

import { Client } from '../client/client.js';
import { interrupted, timedOut, usage } from '../client/errors.js';
import { resolveTarget } from '../client/target.js';
import { harmlessLines } from '../rail/segments.js';
import { Printer, type OutputOptions } from '../output/printer.js';
import type { Io } from './io.js';
import { Lines } from './lines.js';
import { toCommandLine, withOption } from './command-line.js';

/** Options of every command that talks to a server; others have some of them. */
export type CommonOptions = OutputOptions & {
  server?: string;
  token?: string;
  context?: string;
  /** Milliseconds. */
  timeout?: number;
  yes?: boolean;
  reason?: string;
};

export class Session {
  readonly out: Printer;
  readonly lines: Lines;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #forget: () => void;
  #onInterrupt = (): void => this.#controller.abort(interrupted());

  constructor(
    readonly io: Io,
    readonly options: CommonOptions,
    readonly argv: readonly string[],
  ) {
    this.out = new Printer(io, options);
    this.lines = new Lines(io.stdin);
    this.#forget = io.onInterrupt(() => this.#onInterrupt());
    if (options.timeout !== undefined) {
      const late = timedOut(`the command did not end within ${options.timeout / 1000} s`);
      this.#timer = setTimeout(() => this.#controller.abort(late), options.timeout);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A person reads and can answer. */
  get interactive(): boolean {
    return this.io.stdin.isTTY === true && this.io.stderr.isTTY;
  }

  /** Ends the command with ctrl-c's error. */
  readonly interrupt = (): void => this.#controller.abort(interrupted());

  /** From now on ctrl-c does this. */
  interruptWith(action: () => void): void {
    this.#onInterrupt = action;
  }

  async client(signal: AbortSignal = this.signal): Promise<Client> {
    const { server, token, context } = this.options;
    const target = await resolveTarget({ server, token, context, env: this.io.env });
    const { protocol, hostname } = new URL(target.url);
    if (target.token !== null && protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) {
      await this.say(`warning: the token goes to ${hostname} unencrypted`);
    }
    return new Client(target, signal);
  }

  /** Talk, not data: when nobody listens, nothing is lost. What comes from outside cannot steer the terminal. */
  async say(text: string): Promise<void> {
    await this.io.stderr.write(harmlessLines(`${text}\n`)).catch(() => {});
  }

  /** Null when there is nobody, or no more. */
  async ask(question: string, signal: AbortSignal = this.signal): Promise<string | null> {
    await this.io.stderr.write(harmlessLines(question));
    const answer = await this.lines.next(signal);
    // Ctrl-d leaves the cursor where it was.
    if (answer === null && this.io.stderr.isTTY) await this.io.stderr.write('\n');
    return answer;
  }

  /**
   * Returns when the change may be made. Throws a usage error when the person says no, or when there is nobody to ask
   * and no `-y`: then it names the command to repeat.
   *
   * @param change what will change and how many, as a sentence: `cancels 2 runs`.
   */
  async confirm(change: string): Promise<void> {
    if (this.options.yes) return;
    if (!this.interactive)
      throw usage(`needs confirmation: this ${change}`, toCommandLine(withOption(this.argv, '-y')));
    const answer = await this.ask(`This ${change}. Go on? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw usage('nothing was changed');
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#forget();
    this.lines.close();
  }
}
