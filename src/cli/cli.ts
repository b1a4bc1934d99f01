/**
 * One invocation of the tool: arguments in, exit code out. Nothing here knows the process: `main.ts` and the tests each
 * hand in their own world.
 *
 * Every way to fail ends here as one line on stderr and a documented exit code (`client/exit-codes.ts`), never a stack.
 */

import { CommanderError } from 'commander';
import { CliError } from './client/errors.js';
import { ExitCode } from './client/exit-codes.js';
import { createProgram } from './program.js';
import { harmlessLines } from './rail/segments.js';
import { OutputClosed, type Io } from './session/io.js';

/** The exit code; undefined: what was started goes on, and ends the process itself. */
export async function main(argv: readonly string[], io: Io): Promise<number | undefined> {
  let code: number | undefined;
  const said: Promise<void>[] = [];
  try {
    const program = createProgram({ io, argv, onEnd: (ended) => (code = ended), said });
    await program.parseAsync(argv, { from: 'user' });
    await Promise.all(said);
    return code;
  } catch (error) {
    await Promise.allSettled(said);
    return report(error, io);
  }
}

async function report(error: unknown, io: Io): Promise<number> {
  if (error instanceof OutputClosed) return ExitCode.ok;
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  const line = error instanceof Error ? error.message.replace(/\s*\n\s*/g, ' ') : String(error);
  const hint = error instanceof CliError && error.hint !== undefined ? `  ${error.hint}\n` : '';
  // The terminal has shown ^C where the cursor was.
  const lead = io.stderr.isTTY && error instanceof CliError && error.exitCode === ExitCode.interrupted ? '\n' : '';
  await io.stderr.write(harmlessLines(`${lead}agent-server: ${line}\n${hint}`)).catch(() => {});
  return error instanceof CliError ? error.exitCode : ExitCode.failed;
}
