/**
 * Ends a run that cannot go on by itself: a fact its machine throws at, or rows this build cannot read. The machine is
 * asked first (`FAULT`); if it throws again its actors are dropped and the host writes the end, so that no thread is ever
 * bricked by one run (DESIGN "An unknown one ends its run").
 */

import { MAY_HAVE_RUN } from '../machines/tool-call.js';
import { apply, cellKey, type NextToken } from './apply.js';
import { Draft, type ActorCell } from './draft.js';
import { appendEvent, record } from './recorder.js';

/** After this the run is `done` or its own machine is ending it. */
export function forceEnd(draft: Draft, next: NextToken, rno: number, reason: string): void {
  const run = draft.get(`r${rno}`);
  if (!run || run.status === 'done') return;
  const polite = new Draft(draft, draft.at);
  try {
    apply(polite, next, '', { type: 'TELL', run_id: run.run_id, event: { type: 'FAULT', message: reason } });
    if (polite.isEmpty) throw new Error('the run does not hear its machine');
    draft.absorb(polite);
  } catch {
    bury(draft, next, rno, reason);
  }
}

/**
 * Writes the end over the machine's head. Calls that were open get a result, so the history stays valid; `unreadable`
 * names those whose rows could not be read.
 */
export function bury(
  draft: Draft,
  next: NextToken,
  rno: number,
  reason: string,
  unreadable: { id: string; name: string }[] = [],
): void {
  const cell = draft.get(cellKey(String(rno)));
  const calls = [...unreadable, ...(cell ? openCallsOf(draft, rno, cell) : [])];
  for (const { id, name } of calls)
    record(draft, rno, { type: 'tool_call_done', id, name, outcome: 'cancelled', error: MAY_HAVE_RUN });
  if (draft.get(`l${rno}`)?.enc.in_step) {
    record(draft, rno, { type: 'message', partial: true });
    appendEvent(draft, rno, 'step_end', { finish_reason: 'error' });
  }
  endLog(draft, rno, reason);
  if (cell) {
    for (const id of Object.keys(cell.snapshot.children)) draft.set(cellKey(`${rno}/${id}`), undefined);
    draft.set(cellKey(String(rno)), undefined);
  }
  apply(draft, next, '', { type: 'FINISHED', run_id: draft.get(`r${rno}`)!.run_id });
}

function openCallsOf(draft: Draft, rno: number, cell: ActorCell): { id: string; name: string }[] {
  return Object.keys(cell.snapshot.children).flatMap((key) => {
    const call = draft.get(cellKey(`${rno}/${key}`));
    if (call?.kind !== 'tool_call') return [];
    const { id, name } = (call.snapshot.context as { plan: { id: string; name: string } }).plan;
    return [{ id, name }];
  });
}

function endLog(draft: Draft, rno: number, reason: string): void {
  const { input_tokens, output_tokens } = draft.get(`r${rno}`)!;
  appendEvent(draft, rno, 'error', { message: reason, code: 'internal' });
  appendEvent(draft, rno, 'run_finish', {
    termination: { code: 'error', detail: reason },
    result: null,
    usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
  });
}
