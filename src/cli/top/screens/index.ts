/** The list screens by name. `:pulse` is no list: `pulse.ts` draws it. */

import type { Model, ScreenName } from '../model/model.js';
import { agents } from './agents.js';
import { approvals } from './approvals.js';
import { dead } from './dead.js';
import { events } from './events.js';
import { runs } from './runs.js';
import type { ListScreen } from './screen.js';
import { threads } from './threads.js';

const lists: Readonly<Partial<Record<ScreenName, ListScreen>>> = { runs, threads, approvals, dead, agents, events };

/** The list that is shown, if the screen is one. */
export const screenOf = (model: Model): ListScreen | undefined => lists[model.view.screen];

export type { ListScreen };
