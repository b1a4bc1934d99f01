/** Which calls a request would have decided, for the record of one that is refused (`audit/reading.ts`). */

import { decisionsOf, fieldsOf, listIn, naming, type Reading } from '../audit/reading.js';

const ANSWERED = new Set<unknown>(['approval-responded', 'output-available', 'output-error']);

/** Answers stand in the parts of a last message that is the assistant's. */
export const decides: Reading = (body) => {
  const last = listIn(fieldsOf(body).messages).at(-1);
  const parts = last?.role === 'assistant' ? [...listIn(last.parts), ...listIn(last.content)] : [];
  return naming([
    ...decisionsOf(body).map(({ target_id }) => target_id),
    ...parts.map(({ type, state, approvalId, toolCallId }) =>
      type === 'tool-approval-response' ? approvalId : ANSWERED.has(state) ? toolCallId : undefined,
    ),
  ]);
};
