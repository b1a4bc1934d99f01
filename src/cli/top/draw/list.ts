/** A list: its title, the heading of its columns, and the rows that can be seen; no other row is ever made. Pure. */

import { cells, pad, padStart, segment, type Line, type Segment } from '../../rail/index.js';
import { count, shortId } from '../format.js';
import { isOn, type Model } from '../model/model.js';
import { isFollowing } from '../model/move.js';
import { placeOf } from '../model/selection.js';
import type { Column, ListScreen, Listing } from '../screens/screen.js';
import { row, rule, selectedRow } from './frame.js';
import { firstVisible } from './scroll.js';

/** Cells before the first column: the cursor, the mark, a gap. */
const MARGIN = 3;

export function drawListTitle(model: Model, screen: ListScreen, listing: Listing): Line {
  const { view } = model;
  const list = view.lists[screen.name];
  const left: Segment[] = [segment(screen.name, 'title')];
  if (isOn(model, 'faults')) left.push(segment('   only what is wrong', 'fault'));
  if (list.filter !== '') left.push(segment(`   ${list.filter}`, 'attention'));
  if (screen.sorts.length > 1) left.push(segment(`   sort ${screen.sorts[list.sort % screen.sorts.length]}`, 'dim'));
  if (list.marks.size > 0) left.push(segment(`   ${count(list.marks.size)} marked`, 'last'));
  if (screen.name === 'events' && isOn(model, 'follow')) left.push(segment('   following', 'active'));
  const unseen = screen.unseen?.(model) ?? 0;
  if (unseen > 0) left.push(segment(`   ${count(unseen)} still to come`, 'attention'));
  const at = isFollowing(model, screen.name) ? listing.total : placeOf(list.cursor, listing) + 1;
  const right = listing.total === 0 ? '0' : `${count(at)}/${count(listing.total)}`;
  return rule('middle', left, [segment(right, 'dim')], view.size.columns);
}

/** @param height rows there are, the heading among them. */
export function drawList(model: Model, screen: ListScreen, listing: Listing, height: number): Line[] {
  if (height === 0) return [];
  const { columns: width } = model.view.size;
  const columns = sized(screen.columns, width - 2 - MARGIN, isOn(model, 'wide'));
  const list = model.view.lists[screen.name];
  const at = isFollowing(model, screen.name) ? listing.total - 1 : placeOf(list.cursor, listing);
  const seen = height - 1;
  const first = firstVisible(at, seen, listing.total);
  const rows: Line[] = [row(heading(columns), width)];
  for (let i = first; i < first + seen; i++) {
    const id = listing.ids[i - listing.offset];
    const made = id === undefined ? undefined : screen.row(model, id);
    if (!made) {
      rows.push(
        row(i === first && listing.total === 0 ? [segment(`   ${emptyText(model, screen)}`, 'dim')] : [], width),
      );
      continue;
    }
    const isAt = i === at && model.view.open?.focus !== 'details';
    const line = [...margin(i === at, list.marks.has(id!)), ...cellsOf(made, columns)];
    rows.push(isAt ? selectedRow(line, width) : row(line, width));
  }
  return rows;
}

function emptyText(model: Model, screen: ListScreen): string {
  const [want] = screen.wants(model);
  const error = want && model.resources.error(want.key);
  if (error) return error;
  if (want ? model.resources.value(want.key) === undefined : model.stats === null) return '…';
  const { filter } = model.view.lists[screen.name];
  if (isOn(model, 'faults')) return 'nothing is wrong';
  return filter === '' ? screen.empty : `nothing matches ${filter}`;
}

const margin = (isAt: boolean, isMarked: boolean): Segment[] => [
  segment(isAt ? '▶' : ' ', 'title'),
  segment(isMarked ? '✓' : ' ', 'last'),
  segment(' '),
];

type Sized = Column & { cells: number };

/** Columns with the cells they have: what is left over goes to those that grow, wide ids take their whole length. */
function sized(columns: readonly Column[], width: number, wide: boolean): Sized[] {
  const based = columns.map((column) => ({ ...column, cells: wide && column.wide ? column.wide : column.width }));
  const used = based.reduce((sum, column) => sum + column.cells + 1, -1);
  const shares = based.reduce((sum, { grow = 0 }) => sum + grow, 0);
  const left = Math.max(0, width - used);
  return based.map((column) => ({
    ...column,
    cells: column.cells + Math.floor((left * (column.grow ?? 0)) / Math.max(1, shares)),
  }));
}

const heading = (columns: readonly Sized[]): Line => [
  segment(' '.repeat(MARGIN)),
  segment(columns.map((column) => fit(column.title, column)).join(' '), 'dim'),
];

const cellsOf = (made: readonly Segment[], columns: readonly Sized[]): Segment[] =>
  columns.flatMap((column, i) => {
    const { text, style } = made[i] ?? segment('');
    return [...(i > 0 ? [segment(' ')] : []), segment(fit(text, column), style)];
  });

/** Ids are shortened in their middle, everything else at its end. */
function fit(text: string, column: Sized): string {
  if (column.align === 'right') return padStart(text, column.cells);
  return pad(
    column.wide !== undefined && cells(text) > column.cells ? shortId(text, column.cells) : text,
    column.cells,
  );
}
