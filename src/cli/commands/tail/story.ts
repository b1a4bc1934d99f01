/**
 * Events of many runs as lines, each with its time, run and agent.
 *
 * Text comes in pieces from many runs at once. It is held back until a line of it is whole: at a line end, when it has
 * grown long, or when something else happens in its run. Pure but for what is held back.
 */

import { deltaOf, describe } from '../../narrate/describe.js';
import { pad, segment, type Line } from '../../rail/segments.js';
import { clock } from '../../views/texts.js';
import type { TailedEvent } from '../../views/tail.js';

const LONG = 100;
const TAIL_OF_ID = 8;

export class TailStory {
  readonly #held = new Map<string, string>();

  constructor(private readonly ascii: boolean) {}

  lines(event: TailedEvent): Line[] {
    const delta = deltaOf(event);
    if (delta !== undefined) return this.#speak(event, delta);
    const said = this.#held.get(event.run_id) ?? '';
    this.#held.delete(event.run_id);
    const line = describe(event, this.ascii);
    return [...(said === '' ? [] : [this.#line(event, quoted(said))]), ...(line ? [this.#line(event, line)] : [])];
  }

  #speak(event: TailedEvent, delta: string): Line[] {
    const parts = ((this.#held.get(event.run_id) ?? '') + delta).split('\n');
    let rest = parts.pop()!;
    const blank = rest.length > LONG ? rest.lastIndexOf(' ') : -1;
    if (blank > 0) {
      parts.push(rest.slice(0, blank));
      rest = rest.slice(blank + 1);
    }
    this.#held.set(event.run_id, rest);
    return parts.filter((text) => text.trim() !== '').map((text) => this.#line(event, quoted(text)));
  }

  #line({ timestamp_ms, run_id, agent_id }: TailedEvent, text: Line): Line {
    const run = run_id.length > TAIL_OF_ID ? run_id.slice(-TAIL_OF_ID) : run_id;
    return [
      segment(`${clock(timestamp_ms)}  `, 'dim'),
      segment(pad(run, TAIL_OF_ID), 'id'),
      segment(`  ${agent_id}  `),
      ...text,
    ];
  }
}

const quoted = (text: string): Line => [segment(text)];
