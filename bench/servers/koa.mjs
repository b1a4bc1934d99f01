/** Baseline (ii): Koa with a body parser, writing to the raw response. What the framework costs. */

import { createServer } from 'node:http';
import { bodyParser } from '@koa/bodyparser';
import Koa from 'koa';
import { answer, HEADERS, isPaced, listen } from './serving.mjs';

const app = new Koa();
app.use(bodyParser());
app.use((ctx) => {
  ctx.set(HEADERS);
  ctx.status = 200;
  ctx.respond = false;
  void answer(ctx.res, isPaced(ctx.path), ctx.request.body);
});
listen(createServer(app.callback()));
