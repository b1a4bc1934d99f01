/**
 * What a key changes: the view as it was and a key's name give the view as it is, and what is to be done outside. Pure
 * but for reading what the server has told.
 *
 * Nothing here touches the server. A key that would opens a question (`confirm`), and only the right answer to it comes
 * out as `perform`. `esc` leaves whatever is open and gives no effect, in every mode.
 */

import { actionOf, textOf, type KeyAction } from '../keys.js';
import { begin } from './act.js';
import { commandsFor } from './commands.js';
import type { Deed } from './deed.js';
import { jumpTo, moved, selectTab, turned, type Step } from './move.js';
import {
  screenNames,
  type Model,
  type Mode,
  type ScreenName,
  type TabName,
  tabNames,
  type Toggle,
  type View,
} from './model.js';
import { chosenIds, currentId } from './selection.js';
import { screenOf } from '../screens/index.js';
import { parseFilter } from './filter.js';
import { tabFilterKeys } from './tab-filter.js';

export type Effect =
  | { effect: 'quit'; by: 'key' | 'ctrl-c' }
  | { effect: 'redraw' }
  | { effect: 'copy'; text: string }
  | { effect: 'perform'; deeds: readonly Deed[]; reason: string | null };

export type Updated = { view: View; effects: Effect[] };

const only = (view: View): Updated => ({ view, effects: [] });

export function onKey(model: Model, name: string): Updated {
  if (name === 'ctrl-c') return { view: model.view, effects: [{ effect: 'quit', by: 'ctrl-c' }] };
  const { mode } = model.view;
  switch (mode.is) {
    case 'browse':
      return browse(model, actionOf(name, model.setup.access));
    case 'filter':
    case 'goto':
    case 'compose':
      return typing(model, mode, name);
    case 'confirm':
      return confirming(model.view, mode, name);
    case 'help':
    case 'command':
      // Whatever is pressed: what was shown has been read.
      return only({ ...model.view, mode: { is: 'browse' } });
  }
}

const steps: Readonly<Partial<Record<KeyAction, Step>>> = {
  up: { by: -1 },
  down: { by: 1 },
  page_up: { pages: -1 },
  page_down: { pages: 1 },
  top: { to: 'first' },
  bottom: { to: 'last' },
};

function browse(model: Model, action: KeyAction | undefined): Updated {
  const { view } = model;
  if (action === undefined) return only(view);
  const step = steps[action];
  if (step) return only(moved(model, step));
  if (action.startsWith('tab_')) return only(selectTab(view, tabNames[Number(action.slice(4)) - 1]!));
  switch (action) {
    case 'open':
      return only(opened(model));
    case 'back':
      return only(back(view));
    case 'other_pane':
      return only(
        view.open ? { ...view, open: { ...view.open, focus: view.open.focus === 'list' ? 'details' : 'list' } } : view,
      );
    case 'next_tab':
      return only(turned(view, 1));
    case 'previous_tab':
      return only(turned(view, -1));
    case 'filter':
      return only({ ...view, mode: { is: 'filter', text: filterOf(view), error: null } });
    case 'goto':
      return only({ ...view, mode: { is: 'goto', text: '', error: null } });
    case 'help':
      return only({ ...view, mode: { is: 'help' } });
    case 'command':
      return only({ ...view, mode: { is: 'command', lines: commandsFor(model) } });
    case 'faults':
    case 'wide':
    case 'follow':
    case 'pause':
      return only(toggled(view, action));
    case 'sort':
      return only(withList(view, { sort: view.lists[view.screen].sort + 1, cursor: { id: null, index: 0 } }));
    case 'mark':
      return only(marked(model));
    case 'mark_all':
      return only(markedAll(model));
    case 'copy':
      return copied(model);
    case 'redraw':
      return { view, effects: [{ effect: 'redraw' }] };
    case 'quit':
      return { view, effects: [{ effect: 'quit', by: 'key' }] };
    default:
      return only(begin(model, action));
  }
}

function opened(model: Model): View {
  const { view } = model;
  const id = currentId(model);
  if (view.open?.focus === 'details') {
    const run_id = view.open.tab === 'tree' ? view.open.cursor.id : null;
    if (run_id === null) return view;
    return jumpTo(model, run_id);
  }
  if (id === undefined) return view;
  if (view.screen === 'agents') return goTo(withFilter({ ...view, screen: 'runs' }, `agent=${id}`), 'runs');
  const target = screenOf(model)?.targetOf(model, id);
  const tab: TabName = view.open?.tab ?? (view.screen === 'dead' ? 'mailbox' : 'machine');
  return target
    ? { ...view, open: { target, tab, cursor: { id: null, index: 0 }, filter: '', focus: 'details' } }
    : view;
}

/** Out of what is innermost; at home with nothing open there is nowhere to go. */
function back(view: View): View {
  const list = view.lists[view.screen];
  if (view.open)
    return view.open.filter === '' ? { ...view, open: null } : { ...view, open: { ...view.open, filter: '' } };
  if (list.marks.size > 0) return withList(view, { marks: new Set() });
  if (list.filter !== '') return withList(view, { filter: '' });
  if (view.toggles.has('faults')) return toggled(view, 'faults');
  return view.screen === 'runs' ? view : goTo(view, 'runs');
}

const goTo = (view: View, screen: ScreenName): View => ({ ...view, screen, open: null, mode: { is: 'browse' } });

const withList = (view: View, change: Partial<View['lists'][ScreenName]>): View => ({
  ...view,
  lists: { ...view.lists, [view.screen]: { ...view.lists[view.screen], ...change } },
});

const toggled = (view: View, toggle: Toggle): View => {
  const toggles = new Set(view.toggles);
  if (!toggles.delete(toggle)) toggles.add(toggle);
  return { ...view, toggles };
};

function marked(model: Model): View {
  const id = currentId(model);
  if (id === undefined) return model.view;
  const marks = new Set(model.view.lists[model.view.screen].marks);
  if (!marks.delete(id)) marks.add(id);
  return moved({ ...model, view: withList(model.view, { marks }) }, { by: 1 });
}

function markedAll(model: Model): View {
  const ids = screenOf(model)?.listing(model).ids ?? [];
  const { marks } = model.view.lists[model.view.screen];
  return withList(model.view, { marks: marks.size > 0 ? new Set() : new Set(ids) });
}

function copied(model: Model): Updated {
  const { open, screen } = model.view;
  const inside = open?.focus === 'details' ? (open.cursor.id ?? open.target.run_id ?? open.target.thread_id) : null;
  // A row of a feed has no id of its own worth copying: its run has.
  const rows = chosenIds(model).map((id) => (screen === 'events' ? screenOf(model)!.targetOf(model, id)?.run_id : id));
  const text = inside ?? rows.filter(Boolean).join('\n');
  if (text === '') return only(model.view);
  const notice = { text: `copied ${text.replaceAll('\n', ' ')}`, tone: 'plain' as const, until: model.now + 3_000 };
  return { view: { ...model.view, notice }, effects: [{ effect: 'copy', text }] };
}

const filterOf = (view: View): string => (isInEvents(view) ? view.open!.filter : view.lists[view.screen].filter);
const isInEvents = ({ open }: View): boolean => open !== null && open.focus === 'details' && open.tab === 'events';

function withFilter(view: View, filter: string): View {
  if (isInEvents(view)) return { ...view, open: { ...view.open!, filter, cursor: { id: null, index: 0 } } };
  return withList(view, { filter, cursor: { id: null, index: 0 }, marks: new Set() });
}

type Typing = Extract<Mode, { is: 'filter' | 'goto' | 'compose' }>;

function typing(model: Model, mode: Typing, name: string): Updated {
  const { view } = model;
  if (name === 'esc') return only({ ...view, mode: { is: 'browse' } });
  if (name === 'enter') return entered(model, mode);
  const text = edited(mode.text, name);
  return only({ ...view, mode: { ...mode, text, error: null } });
}

/** A line of text after a key. */
const edited = (text: string, name: string): string => {
  if (name === 'backspace') return [...text].slice(0, -1).join('');
  if (name === 'ctrl-u') return '';
  if (name === 'ctrl-w') return text.trimEnd().replace(/\S+$/, '');
  return text + textOf(name);
};

function entered(model: Model, mode: Typing): Updated {
  switch (mode.is) {
    case 'filter':
      return only(filtered(model, mode));
    case 'goto':
      return only(wentTo(model, mode));
    case 'compose':
      return composed(model, mode);
  }
}

function filtered(model: Model, mode: Extract<Mode, { is: 'filter' }>): View {
  const { view } = model;
  const names = isInEvents(view) ? tabFilterKeys : (screenOf(model)?.filterKeys ?? {});
  const { error } = mode.text.trim() === '' ? { error: null } : parseFilter(mode.text, names, model.now);
  if (error !== null) return { ...view, mode: { ...mode, error } };
  return { ...withFilter(view, mode.text.trim()), mode: { is: 'browse' } };
}

function wentTo(model: Model, mode: Extract<Mode, { is: 'goto' }>): View {
  const { view } = model;
  const wanted = mode.text.trim().replace(/^:/, '');
  if (/^\d+$/.test(wanted) && isInEvents(view)) {
    const cursor = { id: wanted, index: Number(wanted) };
    const toggles = new Set([...view.toggles].filter((toggle) => toggle !== 'follow'));
    return { ...view, toggles, open: { ...view.open!, cursor, filter: '' }, mode: { is: 'browse' } };
  }
  const found = screenNames.filter((name) => wanted !== '' && name.startsWith(wanted));
  const exact = found.find((name) => name === wanted) ?? found[0];
  if (exact === undefined) return { ...view, mode: { ...mode, error: `there are ${screenNames.join(', ')}` } };
  return goTo(view, exact);
}

function composed({ view, now }: Model, mode: Extract<Mode, { is: 'compose' }>): Updated {
  const { what, text } = mode;
  const done = (deed: Deed): Updated => ({
    view: { ...view, mode: { is: 'browse' }, notice: { text: 'sending…', tone: 'plain', until: now + 10_000 } },
    effects: [{ effect: 'perform', deeds: [deed], reason: null }],
  });
  if (what.kind === 'message') {
    if (text.trim() === '') return only({ ...view, mode: { is: 'browse' } });
    return done({ do: 'message', thread_id: what.target.thread_id, agent_id: what.agent_id, text });
  }
  try {
    return done({
      do: 'answer',
      run_id: what.run_id,
      tool_call_id: what.tool_call_id,
      result: JSON.parse(text) as never,
    });
  } catch {
    return only({ ...view, mode: { ...mode, error: 'this is no JSON (a text needs "quotes")' } });
  }
}

/** `y` is enough for the first tier; the others are typed and sent off with enter. `n` and `esc` leave it all as it is. */
function confirming(view: View, mode: Extract<Mode, { is: 'confirm' }>, name: string): Updated {
  const { plan, typed, reason, field } = mode;
  const leave: View = { ...view, mode: { is: 'browse' } };
  if (name === 'esc') return only(leave);
  if (name === 'tab') return only({ ...view, mode: { ...mode, field: field === 'typed' ? 'reason' : 'typed' } });
  if (field === 'reason') {
    if (name === 'enter') return only({ ...view, mode: { ...mode, field: 'typed' } });
    return only({ ...view, mode: { ...mode, reason: edited(reason, name).slice(0, MAX_REASON) } });
  }
  const perform = (): Updated => ({
    view: withList(leave, { marks: new Set() }),
    effects: [{ effect: 'perform', deeds: plan.deeds, reason: reason.trim() === '' ? null : reason.trim() }],
  });
  if (plan.tier === 'key') {
    if (name === plan.expects) return perform();
    return only(name === 'n' ? leave : view);
  }
  if (name === 'enter')
    return typed === plan.expects ? perform() : only(typed === 'n' ? leave : { ...view, mode: { ...mode, typed: '' } });
  return only({ ...view, mode: { ...mode, typed: edited(typed, name).slice(0, MAX_TYPED) } });
}

/** What the server keeps of a reason. */
const MAX_REASON = 500;
const MAX_TYPED = 32;
