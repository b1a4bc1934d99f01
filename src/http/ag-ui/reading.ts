/** Which calls a request would have decided, for the record of one that is refused (`audit/reading.ts`). */

import { decisionsOf, fieldsOf, listIn, naming, type Reading } from '../audit/reading.js';

/** In all three forms that answers come in; tool messages count when nothing but they stands at the end. */
export const decides: Reading = (body) => {
  const { forwardedProps, resume, messages } = fieldsOf(body);
  const said = listIn(messages);
  const results = said.slice(said.findLastIndex(({ role }) => role !== 'tool') + 1);
  return naming([
    ...[body, forwardedProps].flatMap(decisionsOf).map(({ target_id }) => target_id),
    ...listIn(resume).map(({ interruptId }) => interruptId),
    ...results.map(({ toolCallId }) => toolCallId),
  ]);
};
