import { describe, expect, it } from 'vitest';
import { openHttp } from '../../test/support/http-server.js';
import { RateLimiter } from './rate-limit.js';
import { parseTokens } from './tokens.js';

describe('RateLimiter', () => {
  const open = (per_second: number, burst: number) => {
    const clock = { ms: 0 };
    return { clock, limiter: new RateLimiter({ per_second, burst }, () => clock.ms) };
  };

  it('gives a burst, then says how long to wait', () => {
    const { limiter } = open(2, 3);
    expect([1, 2, 3, 4].map(() => limiter.take('a'))).toEqual([0, 0, 0, 500]);
  });

  it('gives back at its rate, up to the burst', () => {
    const { clock, limiter } = open(2, 2);
    limiter.take('a');
    limiter.take('a');
    clock.ms = 499;
    expect(limiter.take('a')).toBeCloseTo(1);
    clock.ms = 500;
    expect(limiter.take('a')).toBe(0);
    clock.ms = 1_000_000;
    expect([1, 2, 3].map(() => limiter.take('a'))).toEqual([0, 0, 500]);
  });

  it('counts each caller by itself', () => {
    const { limiter } = open(1, 1);
    expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([0, 0, 1000]);
  });

  it('forgets callers that are not heard of any more', () => {
    const { clock, limiter } = open(10, 1);
    for (let i = 0; i < 5_000; i++) {
      limiter.take(`caller ${i}`);
      clock.ms += 100;
    }
    expect(limiter.size).toBeLessThanOrEqual(1025);
  });

  it('remembers those it has refused, however many there are', () => {
    const { limiter } = open(0.001, 1);
    for (let i = 0; i < 3_000; i++) limiter.take(`caller ${i}`);
    expect(limiter.take('caller 0')).toBeGreaterThan(0);
  });
});

describe('a server with a rate limit', () => {
  const rate_limit = { per_second: 0.001, burst: 2 };

  it('answers 429 with retry-after to the caller that asks too often, and to nobody else', async () => {
    const { url } = await openHttp({ rate_limit, tokens: parseTokens('a\nb') });
    const ask = (token: string, path = '/v1/runs/x'): Promise<Response> =>
      fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    expect([(await ask('a')).status, (await ask('a', '/nowhere')).status]).toEqual([404, 404]);
    const refused = await ask('a');
    expect([refused.status, await refused.json()]).toEqual([429, { error: 'too many requests' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(900);
    expect(refused.headers.get('x-request-id')).not.toBeNull();
    expect((await ask('b')).status).toBe(404);
  });

  it('lets those who watch the server ask as often as they like', async () => {
    const { url } = await openHttp({ rate_limit });
    for (let i = 0; i < 5; i++) expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('counts by address where there are no tokens', async () => {
    const { url } = await openHttp({ rate_limit });
    const statuses = [];
    for (let i = 0; i < 3; i++) statuses.push((await fetch(`${url}/v1/runs/x`)).status);
    expect(statuses).toEqual([404, 404, 429]);
  });
});
