/** What an action was about: the ids of its path, the calls it decides, the run it began. Pure but for reading the request. */

import type { AuditEntry } from '../../actors/inspection.js';
import type { Ctx } from '../context.js';

type Target = AuditEntry['target'];

const NAMES = ['thread_id', 'run_id', 'entry_id'] as const;
/** Calls named in one record. */
const MAX_CALLS = 100;

/** @param path the route's, as OpenAPI writes it. */
export function targetOf(ctx: Pick<Ctx, 'path' | 'response'>, path: string, body: unknown): Target {
  const target: Target = {};
  const segments = ctx.path.split('/');
  path.split('/').forEach((part, i) => {
    const name = NAMES.find((known) => part === `{${known}}`);
    if (name) target[name] = decoded(segments[i] ?? '');
  });
  // A start says in its answer which run it is about.
  for (const name of ['thread_id', 'run_id'] as const) {
    // Koa answers undefined for a header that is not there.
    const answered = ctx.response.get(`x-${name.replace('_', '-')}`) as string | undefined;
    if (answered) target[name] ??= decoded(answered);
  }
  const calls = decisionsOf(body).map(({ target_id }) => target_id);
  if (calls.length > 0) target.tool_call_ids = calls.slice(0, MAX_CALLS);
  return target;
}

/** The decisions that a body carries, as far as they can be read. */
export function decisionsOf(body: unknown): { target_id: string; reason?: string }[] {
  const { decisions } = (body ?? {}) as { decisions?: unknown };
  if (!Array.isArray(decisions)) return [];
  return (decisions as unknown[]).flatMap((decision) => {
    const { target_id, targetId, toolCallId, reason } = (decision ?? {}) as Record<string, unknown>;
    const id = [target_id, targetId, toolCallId].find((given) => typeof given === 'string');
    return id === undefined ? [] : [{ target_id: id, ...(typeof reason === 'string' ? { reason } : {}) }];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).slice(0, 256);
  } catch {
    return text.slice(0, 256);
  }
}
