/**
 * `GET /v1/runs/:id/events?format=ai-sdk`: a run of any surface as a UI message stream, from its start or behind the last
 * frame the client has. It closes at a pause, as the protocol demands (CONTRACT 1.7); with the id of its last frame it
 * goes on from there, with a `start` of the same message.
 */

import type { Handler } from '../context.js';
import type { Services } from '../services.js';
import { runIdOf } from '../runs/run-id.js';
import { framePositionOf } from '../frame-position.js';
import { openStretch } from './response.js';

export function aiSdkRunEvents(services: Services): Handler {
  return async function getRunEventsAsUiMessageStream(ctx) {
    const run_id = runIdOf(ctx);
    const seen = framePositionOf(ctx);
    const engine = services.engine(ctx.state.principal);
    services.sse.assertRoom(ctx.state.caller);
    await openStretch(ctx, services, engine, { run_id, seen });
  };
}
