/**
 * The signature of a notification: `t=<unix seconds>,v1=<hex>`, the HMAC-SHA256 of `<t>.<body>`. Pure.
 *
 * The time is signed too, so that a receiver can refuse what is old.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';

export const SIGNATURE_HEADER = 'x-agent-server-signature';

/** `at`: unix seconds. */
export const sign = (secret: string, body: string, at: number): string => `t=${at},v1=${digest(secret, body, at)}`;

/** What a receiver does: the signature is of this body, and not older than `max_age_s`. */
export function verify(secret: string, body: string, header: string, now: number, max_age_s = 300): boolean {
  const [, time, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (time === undefined || hex === undefined || Math.abs(now - Number(time)) > max_age_s) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), Buffer.from(digest(secret, body, Number(time)), 'hex'));
}

const digest = (secret: string, body: string, at: number): string =>
  createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
