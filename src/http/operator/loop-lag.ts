/** How late the event loop of this process is, measured from the first import of it on by a timer of Node's own. */

import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 20;
const WINDOW_MS = 1000;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let last = 0;
let since = performance.now();
delays.enable();

/** Milliseconds by which the latest hundredth of the turns was late, of the last second or the time since the last call. */
export function loopLag(): number {
  const now = performance.now();
  if (now - since < WINDOW_MS || delays.count === 0) return last;
  last = Math.max(0, Math.round((delays.percentile(99) / 1e6 - RESOLUTION_MS) * 100) / 100);
  delays.reset();
  since = now;
  return last;
}
