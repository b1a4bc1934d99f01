/**
 * What the stream of a run is on every surface: it names its run and thread in the headers, a log that cannot be read on
 * is said in this server's log, and a client that leaves stops the run only where that was asked for (CONTRACT 1.7, 1.8).
 */

import { ErrorCode, hasCode } from '../errors.js';
import type { Engine, EventReader } from '../actors/engine.js';
import type { RunRecord } from '../actors/records.js';
import type { Ctx } from './context.js';
import type { Services } from './services.js';
import type { StreamOptions } from './sse-stream.js';

/** Answers 200 with what the reader gives. */
export function openRunStream(
  ctx: Ctx,
  { sse, logger }: Pick<Services, 'sse' | 'logger'>,
  reader: EventReader,
  options: Omit<StreamOptions, 'onFault'>,
): void {
  const { run } = reader;
  nameRun(ctx, run);
  sse.open(ctx, reader, {
    ...options,
    onFault: (error) =>
      logger[isExpired(error) ? 'info' : 'error'](
        { err: error, request_id: ctx.state.request_id, run_id: run.run_id },
        'event stream cut',
      ),
  });
}

/** The thread was deleted, or the log came of age, while it was read. */
const isExpired = (error: unknown): boolean => hasCode(error, ErrorCode.eventsExpired);

/** `x-run-id` and `x-thread-id`. */
export function nameRun(ctx: Ctx, { run_id, thread_id }: Pick<RunRecord, 'run_id' | 'thread_id'>): void {
  ctx.set({ 'x-run-id': headerText(run_id), 'x-thread-id': headerText(thread_id) });
}

/** Ids may hold any character, header values may not: others than visible ASCII are percent-encoded. */
function headerText(id: string): string {
  return /^[\x20-\x7e]*$/.test(id) ? id : encodeURIComponent(id);
}

/** Cancels the run when its client leaves. */
export function cancelOnDisconnect(engine: Engine, run_id: string, { logger }: Pick<Services, 'logger'>): () => void {
  return () => {
    engine.deliver({ type: 'cancel', run_id, detail: 'client disconnected' }).catch((error: unknown) => {
      if (hasCode(error, ErrorCode.runNotActive)) return;
      logger.warn({ err: error, run_id }, 'could not cancel the run of a client that left');
    });
  };
}
