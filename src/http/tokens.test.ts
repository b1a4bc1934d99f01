import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findPrincipal, parseTokens } from './tokens.js';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the token file (CONTRACT 11)', () => {
  const tokens = parseTokens(
    ['# who may come in', '', 'plain', `  sha256:${hash('hashed')} read,operator team-1  `, 'bound * team-2'].join(
      '\r\n',
    ),
  );

  it('knows plain and hashed tokens, and nobody else', () => {
    expect(findPrincipal(tokens, 'plain')).toMatchObject({ scopes: null, resource_id: null });
    expect(findPrincipal(tokens, 'hashed')).toMatchObject({ scopes: ['read', 'operator'], resource_id: 'team-1' });
    expect(findPrincipal(tokens, 'bound')).toMatchObject({ scopes: null, resource_id: 'team-2' });
    for (const stranger of ['', 'Plain', 'plain ', hash('hashed'), `sha256:${hash('hashed')}`, '#'])
      expect(findPrincipal(tokens, stranger)).toBeUndefined();
  });

  it('gives each token an identity that does not reveal it', () => {
    const ids = tokens.map(({ principal }) => principal.id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.join()).not.toMatch(/plain|hashed|bound/);
  });

  it.each([
    ['', /no token/],
    ['# only a comment\n\n', /no token/],
    ['sha256:abc', /line 1.*64 hex/],
    ['ok\nsha256:', /line 2.*64 hex/],
    [`sha256:${hash('')}`, /line 1: the token is empty/],
    ['secret-word Read!', /line 1: malformed scopes/],
    ['secret-word a b c', /line 1: expected/],
    [`twice\nsha256:${hash('twice')}`, /twice/],
  ])('refuses %j', (text, message) => {
    expect(() => parseTokens(text)).toThrow(message);
    expect(() => parseTokens(text)).not.toThrow('secret-word');
  });
});
