/**
 * All that the screen is drawn from: what the server has told (`fleet`, `resources`, `pulse`, `tail`) and what the person
 * looks at (`view`). The first part is folded from frames and answers; the view is a value, replaced by each key.
 */

import type { Client, RunEvent, Stats } from '../../client/index.js';
import type { Access } from '../keys.js';
import { Fleet } from '../store/fleet.js';
import { Resources, type Want } from '../store/resources.js';
import { Ring } from '../store/ring.js';
import type { Plan } from './plan.js';

export const screenNames = ['runs', 'threads', 'approvals', 'dead', 'agents', 'events', 'pulse'] as const;
export type ScreenName = (typeof screenNames)[number];

export const tabNames = ['machine', 'mailbox', 'events', 'messages', 'tools', 'tree', 'raw'] as const;
export type TabName = (typeof tabNames)[number];

/** The row under the cursor, by its id; by its number when that id is gone. */
export type Cursor = { id: string | null; index: number };

export type ListView = {
  cursor: Cursor;
  filter: string;
  /** Number of the column it is sorted by, of those it can be. */
  sort: number;
  marks: ReadonlySet<string>;
};

/** A run, or a thread at rest. */
export type Target = { run_id: string | null; thread_id: string };

/** What is open below the list. `focus`: which of the two the keys move. */
export type Open = { target: Target; tab: TabName; cursor: Cursor; filter: string; focus: 'details' | 'list' };

export type Toggle = 'faults' | 'wide' | 'follow' | 'pause';

/** What the keys mean at the moment. */
export type Mode =
  | { is: 'browse' }
  | { is: 'filter'; text: string; error: string | null }
  | { is: 'goto'; text: string; error: string | null }
  | { is: 'compose'; what: Composed; text: string; error: string | null }
  | { is: 'confirm'; plan: Plan; typed: string; reason: string; field: 'typed' | 'reason' }
  | { is: 'help' }
  | { is: 'command'; lines: readonly string[] };

/** A text that is written for the server. */
export type Composed =
  | { kind: 'message'; target: Target; agent_id: string }
  | { kind: 'answer'; run_id: string; tool_call_id: string; asks: string };

export type Connection =
  | { is: 'connecting' }
  | { is: 'live' }
  /** `since`: when the picture was last true. `next`: when the server is asked again. */
  | { is: 'lost'; reason: string; attempt: number; since: number; next: number };

export type Notice = { text: string; tone: 'good' | 'fault' | 'plain'; until: number };

export type View = {
  screen: ScreenName;
  lists: Readonly<Record<ScreenName, ListView>>;
  open: Open | null;
  mode: Mode;
  toggles: ReadonlySet<Toggle>;
  notice: Notice | null;
  size: { columns: number; rows: number };
};

/** What does not change while the tool runs. */
export type Setup = {
  url: string;
  access: Access;
  glyphs: 'unicode' | 'ascii';
  /** The arguments that name the server, for the commands that `o` shows. */
  where: readonly string[];
};

export type Model = {
  readonly setup: Setup;
  readonly fleet: Fleet;
  readonly resources: Resources;
  /** One sample a second, a quarter of an hour of them. */
  readonly pulse: Ring<Stats>;
  /** Events of all runs, while the screen of events is shown. */
  readonly tail: Ring<RunEvent>;
  stats: Stats | null;
  connection: Connection;
  view: View;
  /** The clock of the picture, unix milliseconds; it stands still while the picture is held. */
  now: number;
};

const PULSE_SAMPLES = 900;
const TAIL_EVENTS = 2_000;

const listView: ListView = { cursor: { id: null, index: 0 }, filter: '', sort: 0, marks: new Set() };

export const newModel = (setup: Setup, size: View['size'], now: number): Model => ({
  setup,
  fleet: new Fleet(),
  resources: new Resources(),
  pulse: new Ring(PULSE_SAMPLES),
  tail: new Ring(TAIL_EVENTS),
  stats: null,
  connection: { is: 'connecting' },
  view: {
    screen: 'runs',
    lists: Object.fromEntries(screenNames.map((name) => [name, listView])) as Record<ScreenName, ListView>,
    open: null,
    mode: { is: 'browse' },
    toggles: new Set(['follow']),
    notice: null,
    size,
  },
  now,
});

export const isOn = (model: Model, toggle: Toggle): boolean => model.view.toggles.has(toggle);

/** A value that is fetched, typed at the place where it is wanted. */
export type Source<T> = {
  want: Want<T>;
  read: (model: Model) => T | undefined;
  error: (model: Model) => string | null;
};

export const source = <T>(
  key: string,
  load: (client: Client) => Promise<T>,
  every: number,
  stamp?: string,
): Source<T> => ({
  want: { key, load, every, ...(stamp === undefined ? {} : { stamp }) },
  read: (model) => model.resources.value<T>(key),
  error: (model) => model.resources.error(key),
});
