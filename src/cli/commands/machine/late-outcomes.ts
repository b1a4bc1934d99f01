/** What stands below a machine whose tool calls came to something after they had been closed. Pure. */

import type { LateOutcome } from '../../client/index.js';
import { padStart, segment, span, type Line } from '../../rail/index.js';
import { brief } from '../../views/texts.js';

/** @param now unix milliseconds. */
export function drawLateOutcomes(outcomes: readonly LateOutcome[], now: number): Line[] {
  if (outcomes.length === 0) return [];
  return [
    [segment('')],
    [segment('came too late for the log', 'attention')],
    ...outcomes.map(({ at, tool_call_id, name, outcome, result, error }): Line => [
      segment(`  ${padStart(span(now - at), 6)} ago  `, 'dim'),
      segment(name, 'strong'),
      segment(` ${tool_call_id}`, 'id'),
      segment(` ${outcome}`, outcome === 'succeeded' ? 'plain' : 'fault'),
      segment(` ${error ?? brief(result)}`, 'dim'),
    ]),
  ];
}
