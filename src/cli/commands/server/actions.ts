/** `backup`: the server copies its data, and goes on working. */

import { printOutcome } from '../../output/print.js';
import type { CommonOptions, Session } from '../../session/session.js';

export async function backup(session: Session, options: CommonOptions, dir: string): Promise<void> {
  const client = await session.client();
  const item = await client.backup(dir, options);
  await printOutcome(session, { kind: 'Backup', item, names: [dir], sentence: `the data is copied to ${dir}` });
}
