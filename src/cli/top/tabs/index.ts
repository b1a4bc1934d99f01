/** The tabs of what is open, in the order of their keys. */

import type { Open, TabName } from '../model/model.js';
import { events } from './events.js';
import { machine } from './machine.js';
import { mailbox } from './mailbox.js';
import { messages } from './messages.js';
import { raw } from './raw.js';
import type { Tab } from './tab.js';
import { tools } from './tools.js';
import { tree } from './tree.js';

const tabs: Readonly<Record<TabName, Tab>> = { machine, mailbox, events, messages, tools, tree, raw };

export const tabOf = ({ tab }: Open): Tab => tabs[tab];

export type { Area, TabView } from './tab.js';
