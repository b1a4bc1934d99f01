/** What a list screen is: rows by id, so that only those that are seen are ever made. */

import type { Segment } from '../../rail/index.js';
import type { FilterNames } from '../model/filter.js';
import type { Model, ScreenName, Target } from '../model/model.js';
import type { Want } from '../store/resources.js';

/** `grow`: its share of the width that is left. `wide`: its width with `w`. */
export type Column = { title: string; width: number; wide?: number; grow?: number; align?: 'right' };

/** `ids[i]` is row `offset + i` of `total`. Of a list that is fetched in pages only the page at hand has ids. */
export type Listing = { ids: readonly string[]; offset: number; total: number };

export type ListScreen = {
  name: ScreenName;
  /** What the rows are, for counts: `run`. */
  one: string;
  columns: readonly Column[];
  /** Names of the orders `s` goes through. */
  sorts: readonly string[];
  /** What `/` knows. */
  filterKeys: FilterNames;
  /** What is said when there are no rows. */
  empty: string;
  listing(model: Model): Listing;
  /** How many there are on the server that the list does not have, and so does not find. */
  unseen?(model: Model): number;
  /** One cell a column; undefined when the row is gone. */
  row(model: Model, id: string): readonly Segment[] | undefined;
  /** What `enter` opens. */
  targetOf(model: Model, id: string): Target | undefined;
  wants(model: Model): Want[];
};

export const emptyListing: Listing = { ids: [], offset: 0, total: 0 };

export const listingOf = (ids: readonly string[]): Listing => ({ ids, offset: 0, total: ids.length });
