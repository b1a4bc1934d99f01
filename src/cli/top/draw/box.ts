/** A box over the picture: what has to be read, or answered, before anything else. Pure. */

import { clipLine, padLine, segment, widthOf, type Line } from '../../rail/index.js';

/** The picture with a box in its middle; each line of it keeps its width. */
export function overlay(picture: readonly Line[], title: string, content: readonly Line[], columns: number): Line[] {
  const inner = Math.min(columns - 8, Math.max(title.length + 4, ...content.map(widthOf)));
  const box = boxed(title, content, inner);
  const left = Math.floor((columns - (inner + 4)) / 2);
  const top = Math.max(0, Math.floor((picture.length - box.length) / 2));
  return picture.map((line, y) => {
    const over = box[y - top];
    if (!over) return faded(line);
    const before = faded(padLine(clipLine(line, left, ''), left));
    return [...before, ...over, ...faded(dropCells(line, left + inner + 4))];
  });
}

function boxed(title: string, content: readonly Line[], inner: number): Line[] {
  const side = segment('┃', 'attention');
  const middle = content.map((line): Line => [side, segment(' '), ...padLine(line, inner), segment(' '), side]);
  const dashes = '━'.repeat(Math.max(0, inner - title.length - 1));
  return [
    [segment('┏━ ', 'attention'), segment(title, 'strong'), segment(` ${dashes}┓`, 'attention')],
    ...middle,
    [segment(`┗${'━'.repeat(inner + 2)}┛`, 'attention')],
  ];
}

const faded = (line: Line): Line => line.map(({ text }) => segment(text, 'dim'));

/** The line without its first `n` cells. */
function dropCells(line: Line, n: number): Line {
  let left = n;
  return line.flatMap((part) => {
    if (left <= 0) return [part];
    let text = part.text;
    while (left > 0 && text !== '') {
      const [first] = [...text];
      left -= widthOf([segment(first!)]);
      text = text.slice(first!.length);
    }
    return text === '' ? [] : [segment(text, part.style)];
  });
}
