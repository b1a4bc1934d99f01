/** What the path of a request names. Pure. */

import type { AuditTarget } from '../../actors/inspection.js';
import type { Ctx } from '../context.js';

/** Names in paths, and what they are in a record: a task is a run. */
const NAMES = { thread_id: 'thread_id', run_id: 'run_id', entry_id: 'entry_id', task_id: 'run_id' } as const;

/** @param path the route's, as OpenAPI writes it. */
export function pathTarget({ path: asked }: Pick<Ctx, 'path'>, path: string): AuditTarget {
  const target: AuditTarget = {};
  const segments = asked.split('/');
  path.split('/').forEach((part, i) => {
    const [, name = '', suffix = ''] = /^\{([a-z_]+)\}(.*)$/.exec(part) ?? [];
    const known = NAMES[name as keyof typeof NAMES] as (typeof NAMES)[keyof typeof NAMES] | undefined;
    const segment = decoded(segments[i] ?? '');
    if (known)
      target[known] = (segment.endsWith(suffix) ? segment.slice(0, segment.length - suffix.length) : segment).slice(
        0,
        256,
      );
  });
  return target;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
