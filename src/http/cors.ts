/**
 * Which web pages may read what this server answers: those of the configured origins and, while the server serves this
 * machine alone, those of this machine (a development server on another port is another origin).
 */

import cors from '@koa/cors';
import type { Middleware } from './context.js';
import { isLocalOrigin } from './gate.js';

const EXPOSED = [
  'x-request-id',
  'x-run-id',
  'x-thread-id',
  'x-sdk-ai-ui-message-stream',
  'x-service-ai-sdk-version',
  'x-vercel-ai-ui-message-stream',
  'retry-after',
];

/** Seconds a browser may remember the answer to a preflight request. */
const MAX_AGE = 600;

/** Answers preflight requests and marks answers. A page of another origin gets no mark: its browser refuses it the answer. */
export function crossOrigin(origins: readonly string[], { local }: { local: boolean }): Middleware {
  return cors({
    origin: (ctx) => {
      const origin = ctx.get('origin');
      return origins.includes(origin) || (local && isLocalOrigin(origin)) ? origin : '';
    },
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposeHeaders: EXPOSED,
    maxAge: MAX_AGE,
    credentials: false,
  }) as Middleware;
}
