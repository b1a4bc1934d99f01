/** What the keys are about: the row under the cursor, the rows that are marked, what is open. Pure. */

import type { Approval } from '../../client/index.js';
import { inline } from '../format.js';
import type { Entry, Question, Stake } from './plan.js';
import type { Cursor, Model, Target } from './model.js';
import { onceTool } from '../screens/agents.js';
import { approvalOf, approvalsOfRun } from '../screens/approvals.js';
import { deadLetterOf } from '../screens/dead.js';
import { screenOf } from '../screens/index.js';
import type { Listing } from '../screens/screen.js';
import { threadOf } from '../screens/threads.js';
import { entryOf } from '../tabs/mailbox.js';

/** Where the cursor stands now: on its row wherever that is, or on the number of the row that is gone. */
export function placeOf({ id, index }: Cursor, { ids, offset, total }: Listing): number {
  const found = id === null ? -1 : ids[index - offset] === id ? index - offset : ids.indexOf(id);
  return found >= 0 ? offset + found : Math.max(0, Math.min(index, total - 1));
}

/** The row under the cursor of the list. */
export function currentId(model: Model): string | undefined {
  const screen = screenOf(model);
  if (!screen) return undefined;
  const listing = screen.listing(model);
  return listing.ids[placeOf(model.view.lists[screen.name].cursor, listing) - listing.offset];
}

const isDetails = ({ view }: Model): boolean => view.open !== null && view.open.focus === 'details';

/** The rows an action is about: what is open; else those that are marked; else the one under the cursor. */
export function chosenIds(model: Model): string[] {
  const { marks } = model.view.lists[model.view.screen];
  if (marks.size > 0) return [...marks];
  const id = currentId(model);
  return id === undefined ? [] : [id];
}

export function chosenTargets(model: Model): Target[] {
  if (isDetails(model)) return [model.view.open!.target];
  const screen = screenOf(model);
  return chosenIds(model).flatMap((id) => screen?.targetOf(model, id) ?? []);
}

/** Questions among what was chosen: on the screen of approvals its rows, else all that the runs wait for. */
export function chosenQuestions(model: Model): Question[] {
  if (model.view.screen === 'approvals' && !isDetails(model))
    return chosenIds(model)
      .flatMap((id) => approvalOf(model, id) ?? [])
      .map(questionOf);
  return chosenTargets(model).flatMap(({ run_id }) => (run_id === null ? [] : questionsOfRun(model, run_id)));
}

/** The list of approvals knows the arguments; the feed is there first and knows the ids. */
function questionsOfRun(model: Model, run_id: string): Question[] {
  const listed = approvalsOfRun(model, run_id);
  const run = model.fleet.runs.get(run_id);
  return (run?.waiting_for?.tool_call_ids ?? []).map((tool_call_id): Question => {
    const approval = listed.find((item) => item.tool_call_id === tool_call_id);
    if (approval) return questionOf(approval);
    const { tool, waiting_for, agent_id } = run!;
    return {
      run_id,
      tool_call_id,
      name: tool?.name ?? 'a call',
      arguments: inline(tool?.arguments ?? ''),
      agent_id,
      kind: waiting_for!.kind,
      asks: waiting_for!.message,
    };
  });
}

const questionOf = (item: Approval): Question => ({
  run_id: item.run_id,
  tool_call_id: item.tool_call_id,
  name: item.name,
  arguments: inline(item.arguments),
  agent_id: item.agent_id,
  kind: item.suspension.kind,
  asks: item.suspension.message,
});

/** What ending these runs, or interrupting these threads, would take along. */
export function stakeOf(model: Model, { run_id, thread_id }: Target): Stake {
  const run = run_id === null ? undefined : model.fleet.runs.get(run_id);
  return {
    run_id: run ? run_id : null,
    thread_id,
    queued: Math.max(model.fleet.queuedOf(thread_id), threadOf(model, thread_id)?.queued_count ?? 0),
    once: run ? onceTool(model, run) : null,
  };
}

/** Entries under the cursor: of the screen of dead letters, or of the mailbox that is open. */
export function chosenEntries(model: Model): (Entry & { status: string })[] {
  const { open } = model.view;
  if (open && isDetails(model)) {
    const entry =
      open.tab === 'mailbox' && open.cursor.id !== null
        ? entryOf(model, open.target.thread_id, open.cursor.id)
        : undefined;
    return entry ? [{ ...entry, error: entry.last_error }] : [];
  }
  if (model.view.screen !== 'dead') return [];
  return chosenIds(model)
    .flatMap((id) => deadLetterOf(model, id) ?? [])
    .map((entry) => ({ ...entry, error: entry.last_error }));
}
