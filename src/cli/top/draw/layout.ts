/**
 * How the rows of the screen are shared out. Pure.
 *
 *   header · counters · title of the list · [its rows] · tabs · [the details] · keys
 *
 * The list keeps enough rows to see where one is; what is open gets the rest, or all of it with `w`.
 */

import type { View } from '../model/model.js';

export const MIN_COLUMNS = 80;
export const MIN_ROWS = 24;

export type Layout = {
  /** Rows of the list with the heading of its columns; 0: it is not shown. */
  list: number;
  details: { width: number; height: number };
};

/** Header, counters, title, keys. */
const FIXED = 4;
const TABS = 1;
/** Smallest list beside what is open: its heading and four rows. */
const LEAST_LIST = 5;
const MOST_LIST = 12;

export const isTooSmall = ({ columns, rows }: View['size']): boolean => columns < MIN_COLUMNS || rows < MIN_ROWS;

export function layoutOf({ open, toggles, size: { columns, rows } }: Pick<View, 'open' | 'toggles' | 'size'>): Layout {
  const free = Math.max(0, rows - FIXED);
  const width = columns - 2;
  if (!open) return { list: free, details: { width, height: 0 } };
  const list = toggles.has('wide') ? 0 : Math.min(MOST_LIST, Math.max(LEAST_LIST, Math.floor(free / 4)));
  return { list, details: { width, height: free - list - TABS } };
}
