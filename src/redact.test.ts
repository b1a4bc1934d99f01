/** No secret in what people look at: by the names of keys, and by what the process was told. */

import { describe, expect, it, test } from 'vitest';
import type { JsonValue } from './json.js';
import { isSecretKey, keepSecret, preview, redact, redactText } from './redact.js';

describe('keys that name a secret', () => {
  it.each([
    'api_key',
    'apiKey',
    'API-KEY',
    'x-api-key',
    'OPENAI_API_KEY',
    'authorization',
    'Authorization',
    'proxy-authorization',
    'password',
    'dbPassword',
    'user.password',
    'passwd',
    'passphrase',
    'secret',
    'client_secret',
    'clientSecret',
    'secrets',
    'token',
    'accessToken',
    'refresh_token',
    'tokens',
    'cookie',
    'Set-Cookie',
    'credentials',
    'privateKey',
    'session_id',
    'jwt',
  ])('%s', (key) => expect(isSecretKey(key)).toBe(true));

  it.each([
    'input_tokens',
    'output_tokens',
    'total_tokens',
    'maxTokens',
    'max_output_tokens',
    'key',
    'keyboard',
    'secretary',
    'tokenizer',
    'author',
    'id',
    'thread_id',
    'call_id',
    'passenger',
    '',
  ])('not %s', (key) => expect(isSecretKey(key)).toBe(false));
});

describe('redact', () => {
  it('hides what stands under such a key, whatever it is, at any depth, and changes nothing else', () => {
    const value: JsonValue = {
      user: 'me',
      auth: { password: 'hunter2', nested: [{ token: ['a', 'b'] }, { cookie: { a: 1 } }] },
      headers: [{ Authorization: 'Bearer x' }],
      usage: { input_tokens: 5 },
      empty: { password: null, token: '' },
      list: [1, 'two', null, true],
    };
    const before = structuredClone(value);
    expect(redact(value)).toEqual({
      user: 'me',
      auth: '[redacted]',
      headers: [{ Authorization: '[redacted]' }],
      usage: { input_tokens: 5 },
      empty: { password: null, token: '' },
      list: [1, 'two', null, true],
    });
    expect(value).toEqual(before);
  });

  it('hides what the process was told, wherever it stands, also in keys', () => {
    keepSecret('sk-live-0123456789');
    keepSecret('short');
    keepSecret(undefined);
    expect(redactText('the key sk-live-0123456789 twice sk-live-0123456789, short stays')).toBe(
      'the key [redacted] twice [redacted], short stays',
    );
    expect(redact({ url: ['https://x/?k=sk-live-0123456789'], 'sk-live-0123456789': 1 })).toEqual({
      url: ['https://x/?k=[redacted]'],
      '[redacted]': 1,
    });
  });

  it('keeps a key that means something to objects', () => {
    const value = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as JsonValue;
    expect(JSON.stringify(redact(value))).toBe('{"__proto__":{"x":1},"constructor":2}');
    expect(JSON.stringify(preview(value))).toBe('{"__proto__":{"x":1},"constructor":2}');
  });
});

describe('preview', () => {
  it('leaves small values as they are, without secrets', () => {
    expect(preview({ eur: 5, to: ['me'], pin: { password: 1 } })).toEqual({
      eur: 5,
      to: ['me'],
      pin: { password: '[redacted]' },
    });
  });

  test.each<[string, JsonValue]>([
    ['a long text', 'x'.repeat(1_000_000)],
    ['a long list', Array.from({ length: 100_000 }, () => 'x'.repeat(500))],
    ['many keys', Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]))],
    ['deep nesting', JSON.parse('['.repeat(5000) + ']'.repeat(5000)) as JsonValue],
    [
      'a wide tree',
      Array.from({ length: 16 }, () =>
        Array.from({ length: 16 }, () => Array.from({ length: 16 }, () => 'x'.repeat(999))),
      ),
    ],
    ['a long key', { ['k'.repeat(100_000)]: 1 }],
  ])('%s is cut, with a mark', (_, value) => {
    const text = JSON.stringify(preview(value));
    expect(text.length).toBeLessThan(25_000);
    expect(text).toContain('…');
  });
});
