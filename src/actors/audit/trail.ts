/**
 * What a request says of itself for the record of what it does, and what has come of that (CONTRACT 9).
 *
 * A surface whose callers are to be recorded gives their principal a trail. The engine puts the record of a command into
 * the commit that carries the command out: a crash leaves both or neither. What was refused has changed nothing; whoever
 * holds the trail records that, and corrects the status of a record when the request was answered otherwise in the end.
 */

import type { AuditEntry, AuditRecord } from '../inspection.js';

export type Trail = {
  readonly request_id: string;
  /** Why it is done: asked for when the request has been read. */
  readonly reason: () => string | null;
  /** What the request is answered with unless something goes wrong behind the commit. */
  readonly status: number;
  /** The last command that is one for the record, whatever became of it. */
  attempt: Omit<AuditEntry, 'at' | 'status'> | null;
  /** What it was refused with by the engine, though its surface may have made something of that. */
  refusal: unknown;
  /** Records that are durable, by commits of this request. */
  readonly records: AuditRecord[];
};

export const newTrail = (request: Pick<Trail, 'request_id' | 'reason' | 'status'>): Trail => ({
  ...request,
  attempt: null,
  refusal: undefined,
  records: [],
});
