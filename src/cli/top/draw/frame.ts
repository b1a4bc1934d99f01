/** The lines of the frame, and text between its sides. Each is exactly `width` cells. Pure. */

import { clipLine, padLine, segment, widthOf, type Line } from '../../rail/index.js';

const edges = { top: ['┌', '┐'], middle: ['├', '┤'], bottom: ['└', '┘'] } as const;

/** `├ left ───── right ┤`. What does not fit is cut off at the left text's end. */
export function rule(edge: keyof typeof edges, left: Line, right: Line, width: number): Line {
  const [start, end] = edges[edge];
  const tail: Line = right.length > 0 ? [segment(' '), ...right, segment(' ')] : [];
  const room = width - 2 - widthOf(tail) - 1;
  const head: Line = left.length > 0 ? [segment(' '), ...clipLine(left, room - 3), segment(' ')] : [];
  const dashes = Math.max(0, width - 2 - widthOf(head) - widthOf(tail));
  return [segment(start, 'frame'), ...head, segment('─'.repeat(dashes), 'frame'), ...tail, segment(end, 'frame')];
}

/** `│ text │`. */
export const row = (line: Line, width: number): Line => [
  segment('│', 'frame'),
  ...padLine(line, width - 2),
  segment('│', 'frame'),
];

/** The row under the cursor: one look from side to side. */
export const selectedRow = (line: Line, width: number): Line => [
  segment('│', 'frame'),
  segment(
    padLine(line, width - 2)
      .map(({ text }) => text)
      .join(''),
    'selected',
  ),
  segment('│', 'frame'),
];
