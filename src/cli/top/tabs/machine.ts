/** 1 Machine: the rail, the deadlines that run, the last five transitions. */

import { drawDeadlines, drawRail, drawTransitions, segment, type Line } from '../../rail/index.js';
import { actorSource, machineOf, machineSource } from './actor.js';
import { waitingFor, type Tab } from './tab.js';

/** Transitions shown below the rail. */
const HISTORY = 5;

export const machine: Tab = {
  name: 'machine',
  wants: (model, { target }) => [machineSource(target).want, actorSource(model, target).want],
  view(model, { target }, { width, height }) {
    const drawn = machineOf(model, target);
    if (!drawn) return waitingFor(machineSource(target).error(model) ?? actorSource(model, target).error(model));
    const options = { now: model.now, width: width - 1 };
    const below: Line[] = [drawDeadlines(drawn, options), ...drawTransitions(drawn, options, HISTORY)];
    const cut = drawRail(drawn, options);
    const whole = drawRail(drawn, { ...options, wrap: true });
    // Whole sentences when there is room for them and for the history; else one row a state.
    const rail = whole.length + 1 + HISTORY + 1 <= height ? whole : cut;
    return { lines: [...rail, [], ...below].map((line) => [segment(' '), ...line]) };
  },
};
