/** Writes what is to be pushed into the commit of the change that it is about. Pure but for the draft. */

import { derivedId } from '../derived-id.js';
import type { StoredEvent } from '../events.js';
import type { Draft } from '../thread/draft.js';
import { putErrand } from '../thread/errand-rows.js';
import type { PushNews } from './types.js';

/** Which events change a run's state, and what of them is told. Undefined for all others. */
function changeBy(
  [type, , data]: StoredEvent,
  message_id: string | null,
): Pick<PushNews, 'pending' | 'response'> | undefined {
  switch (type) {
    case 'run_start':
    case 'run_resumed':
      return { pending: [], response: null };
    case 'run_waiting':
      return { pending: data.pending, response: null };
    case 'run_finish':
      return {
        pending: [],
        response: data.result && message_id !== null ? { message_id, text: data.result.response } : null,
      };
    default:
      return undefined;
  }
}

/** The event is in the draft and the run's record speaks of it already. */
export function tellReceivers(draft: Draft, rno: number, event: StoredEvent, seq: number): void {
  const change = changeBy(event, draft.get(`l${rno}`)!.enc.message_id);
  const receivers = change && draft.get(`p${rno}`);
  if (!receivers) return;
  const news: PushNews = { at: draft.at, seq, run: draft.get(`r${rno}`)!, ...change };
  for (const { id } of receivers)
    putErrand(draft, {
      push: {
        rno,
        config_id: id,
        delivery_id: derivedId(news.run.run_id, String(news.run.created_at), String(seq), id, 'push'),
        news,
        since: draft.at,
        due: draft.at,
        attempts: 0,
        last_error: null,
      },
    });
}
