/** `runs cancel`: named runs, or all that a filter means. */

import { usage, type RunRecord } from '../../client/index.js';
import type { ExitCode } from '../../client/exit-codes.js';
import { compileFilter } from '../../filter/filter.js';
import { collect } from '../../lists/collect.js';
import { each } from '../../lists/each.js';
import { offsetPages } from '../../lists/pages.js';
import { counted, some } from '../../output/words.js';
import type { CommonOptions, Session } from '../../session/session.js';
import { runs } from '../../views/runs.js';

type CancelOptions = CommonOptions & { filter?: string[] };

export async function cancel(session: Session, options: CancelOptions, named: string[]): Promise<ExitCode> {
  const client = await session.client();
  const ids = named.length > 0 ? named : await matching(session, options);
  // The wrong id is better found before the question than behind it.
  if (named.length > 0) await Promise.all(ids.map((id) => client.run(id)));
  if (ids.length > 0) await session.confirm(`cancels ${counted(ids.length, 'run')} (${some(ids)})`);
  return each(session, 'RunCancelled', ids, async (id) => {
    const item = await client.cancelRun(id, options);
    return { item, names: [id], sentence: `run ${id} is being cancelled` };
  });
}

/** Those that are not done: the others cannot be cancelled. */
async function matching(session: Session, { filter: texts = [] }: CancelOptions): Promise<string[]> {
  if (texts.length === 0) throw usage('runs cancel: name the runs, or say which with -q');
  const filter = compileFilter([...texts, 'status!=done'], runs.keys, session.io.now());
  const pages = offsetPages<RunRecord>(await session.client(), '/v1/runs');
  const { items } = await collect(pages, filter, { limit: Infinity });
  if (items.length === 0) await session.say('no such run is active');
  return items.map(({ run_id }) => run_id);
}
