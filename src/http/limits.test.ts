import { expect, it } from 'vitest';
import { serverLimits } from '../agents/config-server-limits.js';
import { parse } from '../agents/schema.js';
import { doorLimits } from './limits.js';
import { defaultRequestLimits } from './listener.js';
import { defaultSseLimits } from './sse.js';

it('a configuration that says nothing is that of a server that was told nothing', () => {
  const { rate_limit, request_limits, sse } = doorLimits(serverLimits.parse({}));
  expect(rate_limit).toBeNull();
  expect(request_limits).toEqual(defaultRequestLimits);
  expect(sse).toEqual(defaultSseLimits);
});

it('a configuration reaches the parts it is for', () =>
  expect(
    doorLimits(
      parse(
        serverLimits,
        {
          requestsPerSecond: 2.5,
          request_burst: 7,
          streams: 3,
          streams_per_caller: 1,
          headers_ms: 9,
          keep_alive_ms: 8,
        },
        '',
      ),
    ),
  ).toEqual({
    rate_limit: { per_second: 2.5, burst: 7 },
    request_limits: { headers_ms: 9, request_ms: 120_000, header_bytes: 16_384 },
    sse: { max_readers: 3, max_readers_per_caller: 1, keep_alive_ms: 8 },
  }));
