/** What `/` knows on the tab of a run's events. */

import type { FilterNames } from './filter.js';

export const tabFilterKeys: FilterNames = { type: 'text', step: 'number' };
