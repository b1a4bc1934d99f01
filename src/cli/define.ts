/**
 * How commands are declared: what they take, and the module that does the work, which is loaded when it is wanted.
 *
 * `agent-server runs list` starts in the time of this file and one command: nothing that serves, draws or validates is
 * loaded for it.
 */

import { Option, type Command } from 'commander';
import { usage } from './client/errors.js';
import { ExitCode } from './client/exit-codes.js';
import { parseDuration } from './filter/duration.js';
import { formats } from './output/printer.js';
import type { Io } from './session/io.js';
import { Session, type CommonOptions } from './session/session.js';

/** A command's work. Its arguments come in the order of its declaration; without an exit code it went well. */
export type Run<O> = (session: Session, options: O, ...args: never[]) => Promise<ExitCode | void>;

/** Makes the action of a command out of its work, which is loaded when the command is given. */
export type Lazy = <O>(load: () => Promise<Run<O>>) => (...given: unknown[]) => Promise<void>;

export function lazyIn(io: Io, argv: readonly string[], onEnd: (code: ExitCode) => void): Lazy {
  return (load) =>
    async (...given) => {
      // Commander hands over the arguments, then the options, then the command.
      const options = given.at(-2) as CommonOptions;
      const session = new Session(io, options, argv);
      try {
        const run = await load();
        onEnd((await run(session, options as never, ...(given.slice(0, -2) as never[]))) ?? ExitCode.ok);
      } finally {
        session.close();
      }
    };
}

/** Which server, as whom, for how long. */
const withServer = (command: Command): Command =>
  command
    .optionsGroup('Server:')
    .option('--server <url>', 'the server (env: AGENT_SERVER_URL)')
    .option('--token <token>', 'bearer token (env: AGENT_SERVER_TOKEN)')
    .option('--context <name>', 'a server of the context file, instead of the current one')
    .option('--timeout <time>', 'give up after this long, exit 7 (30s, 10m, …)', readWait('--timeout'));

/** How data is written. */
export const withOutput = (command: Command): Command =>
  command
    .optionsGroup('Output:')
    .addOption(new Option('-o, --output <format>', 'how data is written').choices([...formats]).default('table'))
    .addOption(new Option('--color [when]', 'colours (NO_COLOR)').choices(['auto', 'always', 'never']).preset('always'))
    .option('--ascii', 'no characters but ASCII');

export const withWatch = (command: Command): Command =>
  command
    .option('-w, --watch', 'look again and again, show what has changed')
    .option('--interval <time>', 'how often with --watch (default: 2s)', readWait('--interval'));

export const withFilter = (command: Command): Command =>
  command.option('-q, --filter <terms>', "only these: 'status=waiting age>10m'; terms must all hold", many);

export const withLimit = (command: Command): Command =>
  command
    .option('--limit <n>', 'at most so many (default: 50)', readCount('--limit'))
    .option('--all', 'all of them, however many');

/** For what changes something. */
export const withReason = (command: Command): Command =>
  command.option('--reason <text>', 'why; goes into the audit log');

export const withConfirmation = (command: Command): Command =>
  withReason(command.option('-y, --yes', 'do not ask; without a terminal nothing is done otherwise'));

/** Adds groups of options to a command, in order. Options that are declared behind them are the command's own. */
export const declare = (command: Command, ...groups: ((command: Command) => Command)[]): Command =>
  [...groups, withOutput, withServer].reduce((declared, group) => group(declared), command).optionsGroup('Options:');

const many = (value: string, before: string[] = []): string[] => [...before, value];

export const readDuration =
  (name: string) =>
  (text: string): number => {
    const ms = parseDuration(text);
    if (ms === undefined) throw usage(`${name}: expected a time such as 500ms, 30s, 10m or 2h, got ${text}`);
    return ms;
  };

/** A time that is waited for: a timer of Node that is set further would be due at once. */
const readWait =
  (name: string) =>
  (text: string): number => {
    const ms = readDuration(name)(text);
    if (ms >= 2 ** 31) throw usage(`${name}: at most 24d, got ${text}`);
    return ms;
  };

export const readCount =
  (name: string, most = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const count = /^\d+$/.test(text) ? Number(text) : NaN;
    if (!(count <= most))
      throw usage(`${name}: expected a whole number${most < 1e9 ? ` up to ${most}` : ''}, got ${text}`);
    return count;
  };

/** What the options of lists come to. */
export type ListOptions = { filter?: string[]; limit?: number; all?: boolean; watch?: boolean; interval?: number };

export const limitOf = ({ limit, all }: ListOptions): number => (all ? Infinity : (limit ?? 50));
