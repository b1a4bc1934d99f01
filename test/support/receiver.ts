/** A receiver of push notifications on the loopback: keeps what it was told, answers as the test says. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Told = { headers: IncomingHttpHeaders; body: string; path: string };

export type Receiver = {
  url: string;
  /** Everything it was told, refused attempts included. */
  told: Told[];
  /** The answers to come, in order; then 200. */
  statuses: number[];
};

export async function receiver(statuses: number[] = [], headers: Record<string, string> = {}): Promise<Receiver> {
  const told: Told[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      told.push({ headers: request.headers, body: Buffer.concat(pieces).toString(), path: request.url ?? '' });
      response.writeHead(statuses.shift() ?? 200, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=s3cret`, told, statuses };
}
