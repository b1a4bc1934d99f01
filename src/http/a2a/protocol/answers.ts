/**
 * A message to a task that waits, read as decisions (CONTRACT-PROTOCOLS 8.3). Pure.
 *
 * A data part may decide call by call: `{"decisions": [{target_id, action, result?, reason?}]}`. Anything else (a text, a
 * data part) answers every open question alike, and what was asked decides how it is read: an approval needs a plain
 * yes, and whatever else was said is a no that tells the model so; a question takes it as its answer; of a call that is
 * in doubt it says what happened, `retry` that it shall run again, a no that it did not happen.
 */

import type { Message, Part } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { z } from 'zod';
import type { Decision } from '../../../actors/records.js';
import { isObject, type JsonValue } from '../../../json.js';
import { isNo, isYes } from '../../plain-answers.js';
import { decisionSchema } from '../../runs/start-payload.js';
import { textOf } from './messages.js';
import type { Question } from './questions.js';

/** The id of this message's decision on a call: the same message sent again decides nothing new. */
export type DecisionIds = (call_id: string) => string;

/** One decision for each question that the message answers. Throws `RequestMalformedError` when it answers none. */
export function decisionsIn({ parts }: Message, questions: readonly Question[], ids: DecisionIds): Decision[] {
  const given = explicit(parts);
  const decisions = given
    ? questions.flatMap((question) => {
        const one = given.find(
          ({ target_id }) => target_id === question.call_id || target_id === question.suspension_id,
        );
        return one ? [decision(question, ids, { ...one, result: (one.result ?? null) as JsonValue })] : [];
      })
    : questions.map((question) => decision(question, ids, verdict(said(parts), question)));
  if (decisions.length === 0) throw new RequestMalformedError('message: it answers nothing that the task asks');
  return decisions;
}

const explicitSchema = z.object({ decisions: z.array(decisionSchema).min(1) });

function explicit(parts: readonly Part[]): z.output<typeof explicitSchema>['decisions'] | undefined {
  for (const { content } of parts) {
    if (content?.$case !== 'data' || !isObject(content.value) || !('decisions' in content.value)) continue;
    const parsed = explicitSchema.safeParse(content.value);
    if (parsed.success) return parsed.data.decisions;
    const { path, message } = parsed.error.issues[0]!;
    throw new RequestMalformedError(`${path.join('.')}: ${message}`);
  }
  return undefined;
}

/** What the message says: its data, or else its text. */
function said(parts: readonly Part[]): JsonValue {
  for (const { content } of parts) if (content?.$case === 'data') return content.value as JsonValue;
  return textOf(parts).trim();
}

type Verdict = { action: 'resume' | 'cancel'; result: JsonValue; reason?: string | null | undefined };

function verdict(value: JsonValue, { kind }: Question): Verdict {
  if (kind === 'approval') return isYes(value) ? { action: 'resume', result: value } : refusal(value);
  if (kind === 'in_doubt' && isNo(value)) return refusal(value);
  if (kind === 'in_doubt' && typeof value === 'string' && /^retry[.!]?$/i.test(value))
    return { action: 'resume', result: { retry: true } };
  return { action: 'resume', result: value };
}

/** A no; what was said beside it is its reason. */
function refusal(value: JsonValue): Verdict {
  const words = isObject(value) ? value.reason : value;
  const reason = typeof words === 'string' && words !== '' && !isNo(words) ? words : undefined;
  return { action: 'cancel', result: value, ...(reason === undefined ? {} : { reason }) };
}

const decision = ({ call_id }: Question, ids: DecisionIds, { action, result, reason }: Verdict): Decision => ({
  target_id: call_id,
  decision_id: ids(call_id),
  action,
  result,
  ...(reason ? { reason } : {}),
  updated_at: Date.now(),
});
