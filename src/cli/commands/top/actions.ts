/** `top`: the full screen, which is loaded when it is wanted. */

import { usage } from '../../client/errors.js';
import type { ExitCode } from '../../client/exit-codes.js';
import type { CommonOptions, Session } from '../../session/session.js';

export async function top(session: Session, options: CommonOptions & { readonly?: boolean }): Promise<ExitCode> {
  if (session.out.format !== 'table') throw usage('top draws a screen', 'agent-server runs list --watch -o jsonl');
  const { target } = await session.client();
  const { runTop } = await import('../../top/index.js');
  const { server, context } = options;
  const where = [
    ...(server === undefined ? [] : ['--server', server]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
  const { ascii, color } = session.out;
  const { signal } = session;
  return runTop({ target, ascii, color, where, readonly: options.readonly === true, signal });
}
