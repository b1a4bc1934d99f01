/** `agent-server config schema`: the configuration file's JSON Schema, for editors and checks. */

import { configJsonSchema } from '../agents/config-schema.js';
import type { Session } from './session/session.js';

export async function printConfigSchema({ io }: Session): Promise<void> {
  await io.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
}
