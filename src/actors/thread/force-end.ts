/**
 * Ends a run that cannot go on by itself: a fact its machine throws at, or rows this build cannot read. The machine is
 * asked first (`FAULT`); if it throws again its actors are dropped and the host writes the end, so that no thread is ever
 * bricked by one run (DESIGN "An unknown one ends its run").
 */

import { MAY_HAVE_RUN } from '../machines/tool-call.js';
import { apply, cellKey, childOf, type NextToken } from './apply.js';
import { Draft } from './draft.js';
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

/** What is left of a run that ends over its machine's head: the rows of its actors, and its open calls. */
export type Remains = { paths: string[]; calls: { id: string; name: string }[] };

/**
 * Writes the end over the machine's head. Calls that were open get a result, so the history stays valid, and no row of the
 * run's actors is left. `remains` when they could not be read.
 */
export function bury(
  draft: Draft,
  next: NextToken,
  rno: number,
  reason: string,
  remains: Remains = remainsOf(draft, rno),
): void {
  for (const path of remains.paths) draft.set(cellKey(path), undefined);
  const run = draft.get(`r${rno}`);
  if (!run || run.status === 'done') return;
  for (const { id, name } of remains.calls)
    record(draft, rno, { type: 'tool_call_done', id, name, outcome: 'cancelled', error: MAY_HAVE_RUN });
  if (draft.get(`l${rno}`)?.enc.in_step) {
    record(draft, rno, { type: 'message', partial: true });
    appendEvent(draft, rno, 'step_end', { finish_reason: 'error' });
  }
  endLog(draft, rno, reason);
  apply(draft, next, '', { type: 'FINISHED', run_id: run.run_id });
}

function remainsOf(draft: Draft, rno: number): Remains {
  const run = String(rno);
  const remains: Remains = { paths: [run], calls: [] };
  for (const key of Object.keys(draft.get(cellKey(run))?.snapshot.children ?? {})) {
    const path = childOf(run, key);
    const call = draft.get(cellKey(path));
    if (call?.kind !== 'tool_call') continue;
    const { id, name } = (call.snapshot.context as { plan: { id: string; name: string } }).plan;
    remains.paths.push(path);
    remains.calls.push({ id, name });
  }
  return remains;
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
