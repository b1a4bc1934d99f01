/**
 * JSON bodies: parsed, or refused with the status that says why (CONTRACT 0.1).
 *
 * After this middleware `ctx.request.body` is an object or an array; no body at all is `{}`. Refused: malformed JSON 400,
 * too large 413, a body that does not say it is JSON 415. The last also keeps web pages out: a page of another origin
 * can send an unlabelled or text body without asking the browser's leave, but not one labelled JSON.
 */

import { bodyParser } from '@koa/bodyparser';
import { badRequest } from '../errors.js';
import type { Ctx, Middleware } from './context.js';
import { HttpRefusal } from './errors.js';

/** What the parsers below us throw: raw-body and inflation name a `type` or `status`, zlib and brotli a `code`. */
type ParserError = Error & { type?: string; status?: number; code?: string };

/**
 * @param limit bytes, or a text such as `2mb`.
 * @param unlabelled what becomes of a body that does not say it is JSON, where none is needed: `ignored` as if none had come.
 */
export function jsonBody(limit: string | number, unlabelled: 'refused' | 'ignored' = 'refused'): Middleware {
  const parse = bodyParser({
    enableTypes: ['json'],
    detectJSON: () => true,
    jsonLimit: limit as string,
    onError: (error) => {
      throw refusalOf(error, limit);
    },
  });
  return async function readJson(ctx, next) {
    if (!hasBody(ctx) || (unlabelled === 'ignored' && !isJson(ctx))) {
      ctx.request.body = {};
      return void (await next());
    }
    if (!isJson(ctx)) throw new HttpRefusal(415, 'unsupported media type: expected application/json');
    await parse(ctx, async () => undefined);
    await next();
  };
}

const hasBody = ({ req }: Ctx): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

function isJson(ctx: Ctx): boolean {
  const charset = ctx.request.charset.toLowerCase();
  return Boolean(ctx.request.is('json', '+json')) && (charset === '' || charset === 'utf-8' || charset === 'utf8');
}

function refusalOf(error: ParserError, limit: string | number): Error {
  if (error.type === 'entity.too.large') return new HttpRefusal(413, `body too large: the limit is ${limit}`);
  if (error.status === 415) return new HttpRefusal(415, `unsupported content encoding`);
  if (error.status === 400) return badRequest(`body: ${error.message}`);
  if (/^(Z_|ERR__ERROR_)/.test(error.code ?? '')) return badRequest('body: cannot be decompressed');
  return error;
}
