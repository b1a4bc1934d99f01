/** What the baseline servers share: how a run is answered, and how a server says where it listens. */

import { headFrames, openRun, speak, tailFrames } from '../work.mjs';

export const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Answers one run on a response whose headers are set. The paced variant has its own path.
 * @param {import('node:http').ServerResponse} res @param {boolean} paced @param {unknown} body */
export async function answer(res, paced, body) {
  const run = openRun(body);
  res.write(headFrames(run));
  await speak(run, paced, (frame) => res.write(frame));
  res.end(tailFrames(run));
}

/** @param {string | undefined} path */
export const isPaced = (path) => path === '/paced';

/** A free port of the loopback interface; SIGTERM closes.
 * @param {import('node:http').Server} server @param {() => Promise<void>} [onClosed] */
export function listen(server, onClosed) {
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`listening on http://127.0.0.1:${port}`);
  });
  process.once('SIGTERM', () => {
    server.close(() => void onClosed?.());
    server.closeAllConnections();
  });
}
