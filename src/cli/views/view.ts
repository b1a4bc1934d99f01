/** How records of one kind are shown, named and filtered: all that the commands of lists have to know of them. */

import type { FilterKeys } from '../filter/keys.js';
import type { Column } from '../output/table.js';

export type View<T> = {
  /** `Run`: the kind of its envelope, and of its schema. */
  kind: string;
  /** For `-o name`: what other commands take as arguments. */
  name: (item: T) => readonly string[];
  columns: readonly Column<T>[];
  keys: FilterKeys<T>;
};
