/** What callers may take of a server, as a configuration says it, in the terms of the parts that see to it. */

import type { ServerLimits } from '../agents/config-server-limits.js';
import type { HttpServerOptions } from './server.js';

export const doorLimits = (limits: ServerLimits): Pick<HttpServerOptions, 'rate_limit' | 'request_limits' | 'sse'> => ({
  rate_limit:
    limits.requests_per_second === null
      ? null
      : { per_second: limits.requests_per_second, burst: limits.request_burst },
  request_limits: {
    headers_ms: limits.headers_ms,
    request_ms: limits.request_ms,
    header_bytes: limits.header_bytes,
  },
  sse: {
    max_readers: limits.streams,
    max_readers_per_caller: limits.streams_per_caller ?? Infinity,
    keep_alive_ms: limits.keep_alive_ms,
  },
});
