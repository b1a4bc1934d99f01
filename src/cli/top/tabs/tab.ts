/** What a tab of the details is: lines, and which of them can be chosen. */

import { segment, type Line } from '../../rail/index.js';
import type { Model, Open, TabName } from '../model/model.js';
import type { Want } from '../store/resources.js';

/**
 * `ids` makes the lines rows that the cursor walks over: `ids[i]` is that of line i. Without it the lines scroll.
 * `head` stays above. Rows of a list that is fetched in pieces begin at `offset` of `total`.
 */
export type TabView = {
  lines: readonly Line[];
  head?: Line;
  ids?: readonly string[];
  offset?: number;
  total?: number;
};

export type Area = { width: number; height: number };

export type Tab = {
  name: TabName;
  view(model: Model, open: Open, area: Area): TabView;
  wants(model: Model, open: Open): Want[];
};

export const saying = (text: string): TabView => ({ lines: [[segment(`  ${text}`, 'dim')]] });

/** Before the answer has come, and when it was an error. */
export const waitingFor = (error: string | null): TabView =>
  error === null ? saying('…') : { lines: [[segment(`  ${error}`, 'fault')]] };
