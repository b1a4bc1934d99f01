/** Baseline (i): `node:http` and nothing else. What the runtime itself can do. */

import { createServer } from 'node:http';
import { answer, HEADERS, isPaced, listen } from './serving.mjs';

listen(
  createServer((req, res) => {
    let body = '';
    req.setEncoding('utf8');
    req.on('data', (text) => (body += text));
    req.on('end', () => {
      res.writeHead(200, HEADERS);
      void answer(res, isPaced(req.url), body);
    });
  }),
);
