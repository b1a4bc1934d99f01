import { describe, expect, it } from 'vitest';
import { openHttp } from '../../test/support/http-server.js';

const ask = (url: string, origin: string, method = 'GET') =>
  fetch(`${url}/health`, {
    method,
    headers: { origin, ...(method === 'OPTIONS' ? { 'access-control-request-method': 'POST' } : {}) },
  });

describe('pages of other origins', () => {
  it.each([
    ['http://localhost:5173', true],
    ['http://127.0.0.1:3000', true],
    ['https://app.example', true],
    ['https://elsewhere.example', false],
    ['null', false],
  ])('of %s may read: %s', async (origin, may) => {
    const { url } = await openHttp({ cors_origins: ['https://app.example'] });
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await ask(url, origin, method);
      expect(answer.headers.get('access-control-allow-origin'), method).toBe(may ? origin : null);
    }
    const preflight = await ask(url, origin, 'OPTIONS');
    if (may) {
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-methods')).toContain('POST');
    }
    expect((await ask(url, origin)).headers.get('access-control-expose-headers') ?? '').toMatch(
      may ? /x-run-id/ : /^$/,
    );
  });
});
