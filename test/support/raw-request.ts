/** Bytes to a socket and what comes back: for requests that no HTTP client would send. */

import { connect } from 'node:net';

/** Sends `text` and gives everything the server says until it closes or `until` is found in it. */
export function rawRequest(url: string, text: string | Buffer, until?: string | RegExp): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(Number(port), hostname.replace(/[[\]]/g, ''), () => socket.write(text));
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1');
      if (until !== undefined && (typeof until === 'string' ? said.includes(until) : until.test(said)))
        socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? resolve(said) : reject(error)));
    socket.on('close', () => resolve(said));
  });
}

/** Status and body of a raw response with a content-length. */
export function parseRaw(response: string): { status: number; headers: string; body: string } {
  const [head = '', ...rest] = response.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
    headers: head.toLowerCase(),
    body: rest.join('\r\n\r\n'),
  };
}
