/**
 * The outermost middleware: gives each request its id, turns what is thrown into the answer, writes the log line.
 *
 * `x-request-id` is the client's when it is sane (at most 128 visible ASCII characters), else made; it is always in the
 * response and in every line of the log about this request (CONTRACT 11). Faults of ours are logged with their stack and
 * answered without. A stream's line is written when the stream ends.
 */

import { v7 as uuidv7 } from 'uuid';
import type { Logger } from 'pino';
import type { Ctx, Middleware } from './context.js';
import { answerOf, errorBody } from './errors.js';

const SANE = /^[\x21-\x7e]{1,128}$/;

export function requestLog(logger: Logger): Middleware {
  return async function logRequest(ctx, next) {
    const given = ctx.get('x-request-id');
    const request_id = SANE.test(given) ? given : uuidv7();
    ctx.state.request_id = request_id;
    ctx.set('x-request-id', request_id);
    if (logger.isLevelEnabled('debug')) logWhenDone(ctx, logger);
    try {
      await next();
      if (ctx.respond !== false) fillEmptyError(ctx);
    } catch (error) {
      refuse(ctx, error, logger);
    }
  };
}

/** A status set without a body (unknown route, wrong method) gets one. */
function fillEmptyError(ctx: Ctx): void {
  const { status } = ctx;
  if (status < 400 || ctx.body) return;
  const message = status === 404 ? `no such route: ${ctx.path}` : status === 405 ? 'method not allowed' : ctx.message;
  writeError(ctx, status, message);
}

function refuse(ctx: Ctx, error: unknown, logger: Logger): void {
  const { status, message, headers, fault } = answerOf(error);
  if (fault)
    logger.error({ err: error, request_id: ctx.state.request_id, method: ctx.method, path: ctx.path }, message);
  // Too late to say anything: the stream is cut, so that its reader knows it was not the end.
  if (ctx.respond === false || ctx.headerSent) return void ctx.res.destroy();
  ctx.set(headers);
  writeError(ctx, status, message);
}

function writeError(ctx: Ctx, status: number, message: string): void {
  ctx.status = status;
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = errorBody(message);
}

function logWhenDone(ctx: Ctx, logger: Logger): void {
  const began = performance.now();
  const { request_id } = ctx.state;
  const { method, path, res } = ctx;
  res.once('close', () => {
    logger.debug(
      { request_id, method, path, status: res.statusCode, ms: Math.round(performance.now() - began) },
      'request',
    );
  });
}
