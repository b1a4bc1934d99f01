/**
 * Answers below Koa: bytes that are no HTTP request, and requests that Node would answer itself with an empty body.
 * They too get `{"error": …}` (CONTRACT 0.1) and never end the process.
 */

import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody } from './errors.js';

const statusOf: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Makes the server answer malformed HTTP, CONNECT and unknown expectations as everything else is answered. */
export function answerRawErrors(server: Server): void {
  const answering = new WeakMap<Duplex, ServerResponse>();
  server.on('request', (req, res) => void answering.set(req.socket, res));

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const response = answering.get(socket);
    // Bytes of ours in the middle of another response would be taken for a part of it.
    const free = !response || response.writableFinished || !response.headersSent;
    if (error.code === 'ECONNRESET' || !socket.writable || !free) return void socket.destroy();
    const status = statusOf[error.code ?? ''] ?? 400;
    answerSocket(socket, status, status === 400 ? 'bad request: malformed HTTP' : STATUS_CODES[status]!.toLowerCase());
  });

  server.on('connect', (_req, socket) => {
    socket.on('error', () => socket.destroy());
    answerSocket(socket, 405, 'method not allowed');
  });

  server.on('checkExpectation', (_req, res) => {
    res.writeHead(417, { 'content-type': 'application/json; charset=utf-8', connection: 'close' });
    res.end(errorBody('expectation failed: only 100-continue is known'));
  });
}

function answerSocket(socket: Duplex, status: number, message: string): void {
  const body = errorBody(message);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
