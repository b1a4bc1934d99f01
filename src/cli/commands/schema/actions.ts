/** `schema`: what programs may rely on, as JSON Schema. The same is in `docs/schemas`. */

import { notFound } from '../../client/index.js';
import { jsonSchemas } from '../../schemas/index.js';
import type { Session } from '../../session/session.js';

export async function schema({ io }: Session, _options: object, kind?: string): Promise<void> {
  const all = jsonSchemas();
  if (kind === undefined) return io.stdout.write(`${Object.keys(all).join('\n')}\n`);
  const found = Object.hasOwn(all, kind) ? all[kind] : undefined;
  if (!found) throw notFound(`schema not found: ${kind}; there are ${Object.keys(all).join(', ')}`);
  await io.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
}
