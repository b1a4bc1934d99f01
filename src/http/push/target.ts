/**
 * Whether a receiver may be told, before anything is sent and again at the moment of connecting.
 *
 * The name is resolved by the connection itself, through `checkedLookup`: every address it resolves to has to be public,
 * and the connection goes to one of those addresses. So a name that resolves to something else a moment later changes
 * nothing. An address that stands in the URL itself is never looked up, and is checked as it stands.
 */

import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { PushRefused } from '../../actors/index.js';
import { isPublic } from './addresses.js';

export type TargetRules = {
  /** Addresses inside the network may be told: for trials, and where all clients are trusted. */
  allow_private: boolean;
};

/** What is wrong with the address of a receiver for good, in words for its client; undefined when nothing is. */
export function targetFault(address: string, { allow_private }: TargetRules): string | undefined {
  if (!URL.canParse(address)) return 'must be a URL';
  const url = new URL(address);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain credentials';
  const host = hostOf(url);
  if (allow_private) return undefined;
  if (isIP(host) !== 0 && !isPublic(host)) return 'must not be an address of a private network';
  return /(^|\.)localhost\.?$/i.test(host) ? 'must not be an address of a private network' : undefined;
}

/** Without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** The `lookup` of a connection: fails with `PushRefused` when any address is one that may not be told. */
export function checkedLookup({ allow_private }: TargetRules, resolver: typeof resolve = resolve): LookupFunction {
  return function lookupChecked(hostname, options: LookupOptions, done) {
    resolver(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return done(error, '', 0);
      if (!allow_private && !addresses.every(({ address }) => isPublic(address)))
        return done(new PushRefused('the receiver is an address of a private network'), '', 0);
      if (options.all) return done(null, addresses);
      const [first] = addresses;
      if (!first) return done(new Error('the name of the receiver has no address'), '', 0);
      done(null, first.address, first.family);
    });
  };
}
