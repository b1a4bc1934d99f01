/** The same done to several things, one after another: one that fails does not spare the others. */

import { CliError } from '../client/errors.js';
import { ExitCode } from '../client/exit-codes.js';
import { listEnvelope } from '../output/envelope.js';
import { printOutcome, type Outcome } from '../output/print.js';
import type { Session } from '../session/session.js';

/**
 * Each outcome is printed as soon as it is known, as JSON all of them in one list. Each failure is told on stderr; the
 * exit code is that of the first. What ends the command (ctrl-c, a server that is gone) ends it at once.
 */
export async function each(
  session: Session,
  kind: string,
  ids: readonly string[],
  act: (id: string) => Promise<Omit<Outcome, 'kind'>>,
): Promise<ExitCode> {
  const items: object[] = [];
  let code: ExitCode = ExitCode.ok;
  for (const id of ids) {
    try {
      const outcome = await act(id);
      if (session.out.format === 'json') items.push(outcome.item);
      else await printOutcome(session, { kind, ...outcome });
    } catch (error) {
      if (!(error instanceof CliError) || session.signal.aborted || error.exitCode === ExitCode.unreachable)
        throw error;
      if (code === ExitCode.ok) code = error.exitCode;
      await session.say(`agent-server: ${ids.length > 1 ? `${id}: ` : ''}${error.message}`);
    }
  }
  if (session.out.format === 'json') {
    await session.out.json(listEnvelope(kind, { items, total: items.length, has_more: false }));
  }
  return code;
}
