/**
 * Who may come in when there is no token: the people of this machine, and no web page of elsewhere (CONTRACT 0.10).
 *
 * A page on the internet can make a browser send requests to a loopback server in two ways. It can give its own name our
 * address (DNS rebinding): then the Host is not ours, 421. Or it can post across origins without reading the answer:
 * then the Origin is not ours, 403.
 */

import type { Middleware } from './context.js';
import { HttpRefusal } from './errors.js';

/** Whether a host name means this machine: `localhost` and names under it, 127.0.0.0/8, ::1. */
export function isLoopback(hostname: string): boolean {
  const name = hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127\.(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){2}$/.test(name)
  );
}

const hostnameOf = (authority: string): string | undefined =>
  /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(authority)?.[1];

/** Refuses requests that do not name this machine, and changes asked for by pages of other origins. */
export function loopbackGate(origins: readonly string[]): Middleware {
  return function admitLocal(ctx, next) {
    const hostname = hostnameOf(ctx.get('host'));
    if (hostname === undefined || !isLoopback(hostname)) {
      throw new HttpRefusal(421, 'misdirected request: without a token only localhost is served');
    }
    const origin = ctx.get('origin');
    if (origin !== '' && isChange(ctx.method) && !origins.includes(origin) && !isLocalOrigin(origin)) {
      throw new HttpRefusal(403, 'forbidden: origin not allowed');
    }
    return next() as Promise<void>;
  };
}

const isChange = (method: string): boolean => !['GET', 'HEAD', 'OPTIONS'].includes(method);

/** Whether a page of this origin is one of this machine. */
export const isLocalOrigin = (origin: string): boolean => {
  const authority = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  const hostname = authority === undefined ? undefined : hostnameOf(authority);
  return hostname !== undefined && isLoopback(hostname);
};
