/** Where the cursor goes, in the list or in the details. Pure. */

import { layoutOf } from '../draw/layout.js';
import { screenOf } from '../screens/index.js';
import { tabOf } from '../tabs/index.js';
import { treeRunOf } from '../tabs/tree.js';
import { tabNames, type Cursor, type Model, type Open, type TabName, type Toggle, type View } from './model.js';
import { placeOf } from './selection.js';

export type Step = { by: number } | { pages: number } | { to: 'first' | 'last' };

const firstRow: Cursor = { id: null, index: 0 };

export function moved(model: Model, step: Step): View {
  const { view } = model;
  return view.open?.focus === 'details' ? movedInDetails(model, view.open, step) : movedInList(model, step);
}

function movedInList(model: Model, step: Step): View {
  const { view } = model;
  const screen = screenOf(model);
  if (!screen) return view;
  const listing = screen.listing(model);
  const list = view.lists[screen.name];
  const at = isFollowing(model, screen.name) ? listing.total - 1 : placeOf(list.cursor, listing);
  const index = target(at, step, layoutOf(view).list - 1, listing.total);
  const cursor = { id: listing.ids[index - listing.offset] ?? null, index };
  const next: View = { ...view, lists: { ...view.lists, [screen.name]: { ...list, cursor } } };
  const shown = screen.name === 'events' ? following(next, 'to' in step && step.to === 'last') : next;
  // The details go along with the cursor.
  const opened = shown.open && cursor.id !== null ? screen.targetOf(model, cursor.id) : undefined;
  return opened ? { ...shown, open: { ...shown.open!, target: opened, cursor: firstRow } } : shown;
}

/** The newest row of a feed is always the last: following it is standing on it. */
export const isFollowing = ({ view }: Model, screen: string): boolean =>
  screen === 'events' && view.toggles.has('follow');

function movedInDetails(model: Model, open: Open, step: Step): View {
  const { view } = model;
  const area = layoutOf(view).details;
  const { lines, ids, offset = 0, total = lines.length } = tabOf(open).view(model, open, area);
  // Lines without ids scroll: the cursor is the first line that is seen.
  const count = ids ? total : Math.max(1, lines.length - area.height + 1);
  const isAtEnd = open.tab === 'events' && open.filter === '' && view.toggles.has('follow');
  const at = isAtEnd ? count - 1 : placeOf(open.cursor, { ids: ids ?? [], offset, total: count });
  const index = target(at, step, area.height - 1, count);
  const cursor = { id: ids?.[index - offset] ?? null, index };
  const next: View = { ...view, open: { ...open, cursor } };
  return open.tab === 'events' ? following(next, 'to' in step && step.to === 'last') : next;
}

function target(at: number, step: Step, page: number, total: number): number {
  const wanted =
    'by' in step
      ? at + step.by
      : 'pages' in step
        ? at + step.pages * Math.max(1, page)
        : step.to === 'first'
          ? 0
          : total - 1;
  return Math.max(0, Math.min(wanted, total - 1));
}

/** Whoever moves wants to read; whoever goes to the end wants to see what comes. */
function following(view: View, isWanted: boolean): View {
  const toggles = new Set<Toggle>(view.toggles);
  if (isWanted) toggles.add('follow');
  else toggles.delete('follow');
  return { ...view, toggles };
}

export const selectTab = (view: View, tab: TabName): View =>
  view.open ? { ...view, open: { ...view.open, tab, cursor: firstRow, filter: '', focus: 'details' } } : view;

/** The next tab, or the one before; around at the ends. */
export function turned(view: View, by: 1 | -1): View {
  if (!view.open) return view;
  const at = tabNames.indexOf(view.open.tab);
  return selectTab(view, tabNames[(at + by + tabNames.length) % tabNames.length]!);
}

/** Opens another run of the tree in place of this one. */
export function jumpTo(model: Model, run_id: string): View {
  const { view } = model;
  const run = model.fleet.runs.get(run_id) ?? model.fleet.ended.get(run_id);
  const record = run ?? (view.open ? treeRunOf(model, view.open, run_id) : undefined);
  if (!record || !view.open) return view;
  return {
    ...view,
    open: { ...view.open, target: { run_id, thread_id: record.thread_id }, tab: 'machine', cursor: firstRow },
  };
}
