/** The queries of the protocol over HTTP and JSON, read as the requests they stand for. Pure. */

import { taskStateFromJSON, TaskState, type ListTasksRequest } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import type { Ctx } from '../../context.js';

/** What `GET …/tasks` asks for. */
export function listingIn(ctx: Ctx): ListTasksRequest {
  const status = textIn(ctx, 'status');
  return {
    tenant: '',
    contextId: textIn(ctx, 'contextId'),
    status:
      status === '' ? TaskState.TASK_STATE_UNSPECIFIED : taskStateFromJSON(/^\d+$/.test(status) ? +status : status),
    pageToken: textIn(ctx, 'pageToken'),
    statusTimestampAfter: textIn(ctx, 'statusTimestampAfter') || undefined,
    includeArtifacts: textIn(ctx, 'includeArtifacts') === 'true',
    ...present('pageSize', integerIn(ctx, 'pageSize')),
    ...present('historyLength', integerIn(ctx, 'historyLength')),
  };
}

/** A parameter of the query; absent is empty. */
function textIn(ctx: Ctx, name: string): string {
  const value = ctx.query[name] ?? '';
  if (typeof value === 'string') return value.trim();
  throw new RequestMalformedError(`${name}: given more than once`);
}

/** An integer of the query, undefined when it is absent. Throws `RequestMalformedError`. */
export function integerIn(ctx: Ctx, name: string): number | undefined {
  const text = textIn(ctx, name);
  if (text === '') return undefined;
  const number = /^-?\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(number)) throw new RequestMalformedError(`${name}: expected an integer`);
  return number;
}

/** The field, if it is there. */
export const present = <K extends string>(name: K, value: number | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [P in K]?: number };
