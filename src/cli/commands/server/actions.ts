/** `backup`: the server copies its data, and goes on working. */

import { printOutcome } from '../../output/print.js';
import { counted } from '../../output/words.js';
import type { CommonOptions, Session } from '../../session/session.js';

export async function backup(session: Session, options: CommonOptions, dir: string): Promise<void> {
  const client = await session.client();
  const item = await client.backup(dir, options);
  const sentence = `${counted(item.rows, 'row')}, ${counted(item.bytes, 'byte')} are in ${item.dir}`;
  await printOutcome(session, { kind: 'Backup', item, names: [item.dir], sentence });
}
