/** What stands below a rail: the deadlines that run, and how the machine got where it is. Pure. */

import { eventName } from './choices.js';
import type { Machine, RailOptions, Taken } from './draw.js';
import { ascii, unicode, type Glyphs } from './glyphs.js';
import { cells, clipLine, pad, padStart, segment, type Line } from './segments.js';
import { span } from './time.js';

/** One line, always: what fires when, the next one first. */
export function drawDeadlines({ deadlines = [] }: Machine, options: RailOptions): Line {
  const { ellipsis } = options.ascii ? ascii : unicode;
  if (deadlines.length === 0) return [segment('no deadline runs', 'dim')];
  const parts = [...deadlines]
    .sort((a, b) => a.due - b.due)
    .flatMap(({ id, due }, i) => [
      ...(i > 0 ? [segment('   ')] : []),
      segment(id, 'plain'),
      segment(' in ', 'dim'),
      segment(span(due - options.now), due - options.now < 60_000 ? 'attention' : 'plain'),
    ]);
  return clipLine(parts, options.width ?? Infinity, ellipsis);
}

/** The last `limit` transitions, newest last. `from` and `to` are told once when it stayed. */
export function drawTransitions({ transitions = [] }: Machine, options: RailOptions, limit = 5): Line[] {
  const glyphs = options.ascii ? ascii : unicode;
  const shown = transitions.slice(-limit);
  const names = shown.map(({ event }) => nameText(event, glyphs));
  const widest = Math.max(0, ...names.map(cells));
  return shown.map((taken, i) => {
    const line = transitionLine(taken, pad(names[i]!, widest), i === shown.length - 1, glyphs, options.now);
    return clipLine(line, options.width ?? Infinity, glyphs.ellipsis);
  });
}

function nameText(event: string, glyphs: Glyphs): string {
  const { text, end } = eventName(event);
  return end === undefined ? text : `${text} ${end === 'done' ? glyphs.done : glyphs.failed}`;
}

function transitionLine({ at, from, to }: Taken, name: string, isLast: boolean, glyphs: Glyphs, now: number): Line {
  const [here, there] = [from.join('.'), to.join('.')];
  const way = here === there ? `${glyphs.stays} ${there}` : `${here === '' ? '' : `${here} `}${glyphs.arrow} ${there}`;
  return [
    segment(`${isLast ? glyphs.last : ' '} `, 'last'),
    segment(`${padStart(span(now - at), 6)} ago  `, 'dim'),
    segment(name, isLast ? 'last' : 'plain'),
    segment(`  ${way}`, isLast ? 'plain' : 'dim'),
  ];
}
