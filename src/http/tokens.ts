/**
 * The token file (CONTRACT 11): one token a line, `<token or sha256:hex> [scopes,…] [resource_id]`, `#` comments.
 *
 * A line without scopes, or with `*`, has all of them. Only digests are kept in memory. A file that would let nobody in,
 * or whose line cannot be read, is an error: it never means "no authentication". Messages name the line, never the token.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../actors/engine.js';

export type Token = { digest: Buffer; principal: Principal };

const SCOPES = /^[a-z0-9:_.-]+(,[a-z0-9:_.-]+)*$/;

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Reads a token file's text. Throws an `Error` whose message is one clear line. */
export function parseTokens(text: string): Token[] {
  const tokens = text
    .split(/\r?\n/)
    .map((line, index) => ({ line: line.trim(), at: `token file, line ${index + 1}` }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, at }) => parseLine(line, at));
  if (tokens.length === 0) throw new Error('token file: it has no token, so nobody could use this server');
  const twice = tokens.find((a, i) => tokens.some((b, j) => j < i && a.digest.equals(b.digest)));
  if (twice) throw new Error(`token file: the same token is given twice (${twice.principal.id})`);
  return tokens;
}

function parseLine(line: string, at: string): Token {
  const [secret = '', scopes = '*', resource, ...more] = line.split(/\s+/);
  if (more.length > 0) throw new Error(`${at}: expected <token> [scopes,…] [resource_id]`);
  if (scopes !== '*' && !SCOPES.test(scopes)) throw new Error(`${at}: malformed scopes`);
  const digest = digestOf(secret, at);
  return {
    digest,
    principal: {
      id: `token:${digest.toString('hex').slice(0, 12)}`,
      scopes: scopes === '*' ? null : scopes.split(','),
      resource_id: resource ?? null,
    },
  };
}

function digestOf(secret: string, at: string): Buffer {
  const hex = /^sha256:(.*)$/i.exec(secret)?.[1];
  if (hex === undefined) return sha256(secret);
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`${at}: sha256: must be followed by 64 hex digits`);
  const digest = Buffer.from(hex, 'hex');
  if (digest.equals(sha256(''))) throw new Error(`${at}: the token is empty`);
  return digest;
}

/** Whose token this is. Takes the same time whichever token matches, and looks at digests only. */
export function findPrincipal(tokens: readonly Token[], secret: string): Principal | undefined {
  const digest = sha256(secret);
  let found: Principal | undefined;
  for (const token of tokens) if (timingSafeEqual(token.digest, digest)) found = token.principal;
  return found;
}
