/** `top`: the full screen, which is loaded when it is wanted. */

import type { ExitCode } from '../../client/exit-codes.js';
import type { CommonOptions, Session } from '../../session/session.js';

export async function top(session: Session, options: CommonOptions & { readonly?: boolean }): Promise<ExitCode> {
  const { target } = await session.client();
  const { runTop } = await import('../../top/index.js');
  const { server, context } = options;
  const where = [
    ...(server === undefined ? [] : ['--server', server]),
    ...(context === undefined ? [] : ['--context', context]),
  ];
  const { ascii, color } = session.out;
  return runTop({ target, ascii, color, where, readonly: options.readonly === true });
}
