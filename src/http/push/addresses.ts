/**
 * Which addresses a notification may be sent to: those of the public internet. Pure.
 *
 * A receiver is named by a client, so an address inside the network of this server (loopback, private, link-local, the
 * metadata services of clouds, multicast and whatever is reserved) would let clients reach what only the server may. An
 * IPv4 address in the clothes of IPv6 (mapped, NAT64, 6to4) counts as what it is.
 */

import { BlockList, isIP, isIPv4 } from 'node:net';

const FORBIDDEN_4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** What is not below 2000::/3 is not of the public internet; of what is, these are not either. */
const PUBLIC_6: [string, number] = ['2000::', 3];
const FORBIDDEN_6: [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const forbidden4 = new BlockList();
for (const [net, prefix] of FORBIDDEN_4) forbidden4.addSubnet(net, prefix, 'ipv4');
const public6 = new BlockList();
public6.addSubnet(...PUBLIC_6, 'ipv6');
const forbidden6 = new BlockList();
for (const [net, prefix] of FORBIDDEN_6) forbidden6.addSubnet(net, prefix, 'ipv6');

/** `address`: an IP address as text. Anything else is not public. */
export function isPublic(address: string): boolean {
  const bare = address.split('%', 1)[0]!;
  if (isIPv4(bare)) return !forbidden4.check(bare, 'ipv4');
  if (isIP(bare) !== 6) return false;
  return public6.check(bare, 'ipv6') && !forbidden6.check(bare, 'ipv6');
}
