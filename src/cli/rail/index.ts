/**
 * Machines as drawings, from `{definition, value}` as JSON: the rail for terminals and logs, Mermaid for documents.
 *
 * `drawRail` answers styled lines; `toPlain` and `toAnsi` make text of them. `drawMachine` is the whole picture: the
 * rail, the deadlines that run, the last transitions.
 */

import { drawRail, type Machine, type RailOptions } from './draw.js';
import { drawDeadlines, drawTransitions } from './history.js';
import { segment, type Line } from './segments.js';

export { drawDeadlines, drawRail, drawTransitions };
export type { Machine, RailOptions };
export type { Taken } from './draw.js';
export type { StateDefinition, StateValue, TransitionDefinition } from './definition.js';
export { toMermaid } from './mermaid.js';
export { toAnsi, toMono, toPlain } from './render.js';
export { span } from './time.js';
export * from './segments.js';

/** The rail; and of a machine at work also its deadlines and how it got here. */
export function drawMachine(machine: Machine, options: RailOptions): Line[] {
  const rail = drawRail(machine, options);
  if (machine.value === undefined || machine.value === null) return rail;
  const taken = drawTransitions(machine, options);
  const deadlines = (machine.deadlines ?? []).length > 0 ? [drawDeadlines(machine, options)] : [];
  const below = [...deadlines, ...taken];
  return below.length > 0 ? [...rail, [segment('')], ...below] : rail;
}
