/** What is open: the row of its tabs, and the tab. Pure. */

import { segment, widthOf, type Line, type Segment } from '../../rail/index.js';
import { count, shortId } from '../format.js';
import { isOn, tabNames, type Model, type Open } from '../model/model.js';
import { placeOf } from '../model/selection.js';
import { tabOf, type TabView } from '../tabs/index.js';
import { row, rule, selectedRow } from './frame.js';
import type { Layout } from './layout.js';
import { firstVisible } from './scroll.js';

export function drawDetails(model: Model, open: Open, { details }: Layout): Line[] {
  const { columns } = model.view.size;
  const view = tabOf(open).view(model, open, details);
  const seen = details.height - (view.head ? 1 : 0);
  const at = cursorOf(model, open, view, seen);
  const place = view.ids ? `${count(at + 1)}/${count(view.total ?? view.lines.length)}` : scrolled(at, seen, view);
  const tabs = rule('middle', tabLine(open, columns, place), place === '' ? [] : [segment(place, 'dim')], columns);
  const head = view.head ? [row(view.head, columns)] : [];
  return [tabs, ...head, ...(view.ids ? chosen(view, at, seen, columns, open) : plain(view, at, seen, columns))];
}

/** All tabs are to be seen on the smallest screen: there the id is but its end, and goes where the place needs the room. */
function tabLine({ target, tab, focus }: Open, columns: number, place: string): Segment[] {
  const whole = target.run_id ?? target.thread_id;
  const id = columns < NARROW ? (whole.length > 9 ? `…${whole.slice(-4)}` : whole) : shortId(whole, 13);
  const gap = columns < NARROW ? ' ' : '  ';
  const names = tabNames.map((name, i): Segment => {
    const text = `${i + 1} ${name[0]!.toUpperCase()}${name.slice(1)}`;
    return name === tab ? segment(`[${text}]`, 'title') : segment(text, 'dim');
  });
  const parts = names.flatMap((name, i) => (i > 0 ? [segment(gap), name] : [name]));
  const whose = [segment(id, focus === 'details' ? 'id' : 'dim'), segment(' ─ ', 'frame')];
  const fits = widthOf([...whose, ...parts]) + place.length + EDGES <= columns;
  return fits ? [...whose, ...parts] : parts;
}

const NARROW = 100;
/** Corners, blanks and dashes of a rule with a text at each side. */
const EDGES = 8;

/** Number of the row under the cursor, or of the first line that is seen. */
function cursorOf(
  model: Model,
  open: Open,
  { ids, lines, offset = 0, total = lines.length }: TabView,
  seen: number,
): number {
  if (!ids) return Math.max(0, Math.min(open.cursor.index, lines.length - seen));
  if (open.tab === 'events' && isOn(model, 'follow')) return total - 1;
  return placeOf(open.cursor, { ids, offset, total });
}

const scrolled = (at: number, seen: number, { lines }: TabView): string =>
  lines.length <= seen ? '' : `${count(at + 1)}–${count(Math.min(lines.length, at + seen))}/${count(lines.length)}`;

function plain({ lines }: TabView, at: number, seen: number, width: number): Line[] {
  return Array.from({ length: seen }, (_, i) => row(lines[at + i] ?? [], width));
}

function chosen(
  { lines, offset = 0, total = lines.length }: TabView,
  at: number,
  seen: number,
  width: number,
  open: Open,
): Line[] {
  const first = firstVisible(at, seen, total);
  return Array.from({ length: seen }, (_, i) => {
    const n = first + i;
    const line = lines[n - offset];
    if (!line) return row([], width);
    const isAt = n === at;
    const shown = [segment(isAt ? ' ▶ ' : '   ', 'title'), ...line];
    return isAt && open.focus === 'details' ? selectedRow(shown, width) : row(shown, width);
  });
}
