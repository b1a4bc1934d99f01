/** What stands below a rail: the deadlines that run, and how the machine got where it is. Pure. */

import { eventName } from './choices.js';
import type { Machine, RailOptions, Taken } from './draw.js';
import { ascii, unicode, type Glyphs } from './glyphs.js';
import { clipLine, padStart, segment, type Line } from './segments.js';
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
  return shown.map((taken, i) =>
    clipLine(
      transitionLine(taken, i === shown.length - 1, glyphs, options.now),
      options.width ?? Infinity,
      glyphs.ellipsis,
    ),
  );
}

function transitionLine({ at, event, from, to }: Taken, isLast: boolean, glyphs: Glyphs, now: number): Line {
  const { text, end } = eventName(event);
  const ending = end === undefined ? '' : ` ${end === 'done' ? glyphs.done : glyphs.failed}`;
  const [here, there] = [from.join('.'), to.join('.')];
  const way = here === there ? `${glyphs.stays} ${there}` : `${here || glyphs.or} ${glyphs.arrow} ${there}`;
  return [
    segment(`${isLast ? glyphs.last : ' '} `, 'last'),
    segment(`${padStart(span(now - at), 6)} ago  `, 'dim'),
    segment(`${text}${ending}`, isLast ? 'last' : 'plain'),
    segment(`  ${way}`, isLast ? 'plain' : 'dim'),
  ];
}
