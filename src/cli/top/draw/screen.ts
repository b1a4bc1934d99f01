/**
 * The whole picture: as many lines as the screen has rows, each of its width. Pure: the same model gives the same picture,
 * and that is what the tests compare.
 */

import { clip, padLine, segment, type Line } from '../../rail/index.js';
import { wrapText } from '../format.js';
import type { Model } from '../model/model.js';
import { screenOf } from '../screens/index.js';
import { toAscii } from './ascii.js';
import { overlay } from './box.js';
import { drawDetails } from './details.js';
import { confirmLines, helpLines } from './dialogs.js';
import { drawFooter } from './footer.js';
import { drawHeader } from './header.js';
import { isTooSmall, layoutOf, MIN_COLUMNS, MIN_ROWS } from './layout.js';
import { drawList, drawListTitle } from './list.js';
import { drawPulse } from './pulse.js';

export function drawScreen(model: Model): Line[] {
  const picture = isTooSmall(model.view.size) ? tooSmall(model) : withBox(model, whole(model));
  return model.setup.glyphs === 'ascii' ? picture.map(toAscii) : picture;
}

function whole(model: Model): Line[] {
  const { view } = model;
  const layout = layoutOf(view);
  const screen = screenOf(model);
  const details = view.open ? drawDetails(model, view.open, layout) : [];
  const listing = screen?.listing(model);
  const list =
    screen && listing
      ? [drawListTitle(model, screen, listing), ...drawList(model, screen, listing, layout.list)]
      : drawPulse(model, layout.list);
  return [...drawHeader(model), ...list, ...details, drawFooter(model)];
}

function withBox(model: Model, picture: Line[]): Line[] {
  const { mode, size } = model.view;
  const width = size.columns - 12;
  switch (mode.is) {
    case 'confirm':
      return overlay(picture, mode.plan.title, confirmLines(mode, width), size.columns);
    case 'help':
      return overlay(picture, 'keys', helpLines(model), size.columns);
    case 'command':
      return overlay(
        picture,
        'the same from a shell',
        mode.lines.flatMap((line) => wrapText(line, width)).map((line) => [segment(line)]),
        size.columns,
      );
    default:
      return picture;
  }
}

/** Half a picture would mislead: the terminal is told to be larger, and `q` still leaves. */
function tooSmall({ view: { size } }: Model): Line[] {
  const says = [
    `agent-server top needs ${MIN_COLUMNS}×${MIN_ROWS}`,
    `this terminal is ${size.columns}×${size.rows}`,
    'q quits',
  ];
  const top = Math.max(0, Math.floor((size.rows - says.length) / 2));
  return Array.from({ length: size.rows }, (_, y) => {
    const text = clip(says[y - top] ?? '', size.columns);
    const left = Math.max(0, Math.floor((size.columns - text.length) / 2));
    return padLine([segment(' '.repeat(left)), segment(text, y === top ? 'attention' : 'dim')], size.columns);
  });
}
