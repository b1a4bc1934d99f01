/**
 * `GET /v1/runs/:id/events?format=ag-ui`: a run of any surface as AG-UI events, from its start or behind the last frame
 * the client has. The stream closes at a pause, as the protocol demands (CONTRACT 1.7); with the id of its last frame it
 * goes on from there, as soon as the run does.
 */

import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { runIdOf } from '../runs/run-id.js';
import { framePositionOf } from '../frame-position.js';
import { openStream } from './stream.js';
import { variantOf } from './variant.js';

export function agUiRunEvents(services: Services): Handler {
  return async function getRunEventsAsAgUi(ctx) {
    const run_id = runIdOf(ctx);
    const position = framePositionOf(ctx);
    const engine = services.engine(ctx.state.principal);
    services.sse.assertRoom(ctx.state.caller);
    const begin = position ? { after: position } : { seq: 0 };
    await openStream(ctx, services, engine, { run_id, begin, variant: variantOf(ctx) });
  };
}
