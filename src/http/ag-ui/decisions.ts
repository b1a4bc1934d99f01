/**
 * A client's answers to questions, in the three forms they come in, as decisions (CONTRACT-PROTOCOLS 6.2). Pure.
 *
 * `decisions` says what it means. A `resume` entry and a tool message only say what was answered, so what was asked
 * decides how it is read: for an approval it has to be a plain yes, and anything else is a no that tells the model what
 * was said; for a frontend tool or a question it is the result. Clients that send two forms for one call are counted once,
 * the more explicit form first.
 */

import type { Decision } from '../../actors/records.js';
import { isObject, type JsonValue } from '../../json.js';
import { isNo, isYes } from '../plain-answers.js';
import { valueOf } from './content.js';
import type { GivenDecision, ResumeEntry } from './request.js';
import type { Question } from './run-log.js';
import type { ToolResult } from './tail.js';

export type Answer =
  | { form: 'decision'; target: string; given: GivenDecision }
  | { form: 'resume'; target: string; given: ResumeEntry }
  | { form: 'tool'; target: string; given: ToolResult };

/** All answers of a request, the more explicit form first. */
export const answersOf = (
  decisions: readonly GivenDecision[],
  resume: readonly ResumeEntry[],
  results: readonly ToolResult[],
): Answer[] => [
  ...decisions.map((given): Answer => ({ form: 'decision', target: given.target_id, given })),
  ...resume.map((given): Answer => ({ form: 'resume', target: given.interruptId, given })),
  ...results.map((given): Answer => ({ form: 'tool', target: given.call_id, given })),
];

/** The question that an answer names by its call or its suspension. */
export const questionFor = ({ target }: Answer, questions: readonly Question[]): Question | undefined =>
  questions.find(({ call_id, suspension_id }) => call_id === target || suspension_id === target);

/** The decisions on questions of a run that are open, one for each. Answers to anything else are left out. */
export function decisionsFor(answers: readonly Answer[], questions: readonly Question[], run_id: string): Decision[] {
  const decisions = new Map<string, Decision>();
  for (const answer of answers) {
    const question = questionFor(answer, questions);
    if (!question || question.answered !== null || decisions.has(question.call_id)) continue;
    decisions.set(question.call_id, decide(answer, question, run_id));
  }
  return [...decisions.values()];
}

function decide(answer: Answer, question: Question, run_id: string): Decision {
  const { action, result, reason } = verdict(answer, question);
  const given = answer.form === 'decision' ? answer.given : undefined;
  return {
    target_id: question.call_id,
    // Names the question, so that the same answer sent twice is one decision.
    decision_id: given?.decision_id ?? `${run_id}/${question.seq}`,
    action,
    result,
    ...(reason === undefined ? {} : { reason }),
    updated_at: given?.updated_at ?? Date.now(),
  };
}

type Verdict = { action: 'resume' | 'cancel'; result: JsonValue; reason?: string };

function verdict(answer: Answer, question: Question): Verdict {
  switch (answer.form) {
    case 'decision': {
      const { action, reason } = answer.given;
      const result = answer.given.result as JsonValue;
      return { action, result, ...(reason ? { reason } : {}) };
    }
    case 'resume': {
      const { status, payload } = answer.given;
      if (status === 'cancelled') return refusal(payload);
      return read(payload ?? (question.kind === 'approval' ? { approved: true } : null), question);
    }
    case 'tool': {
      const { content, error } = answer.given;
      return error === undefined ? read(valueOf(content), question) : { action: 'cancel', result: null, reason: error };
    }
  }
}

/** What was said, read as an answer to what was asked. */
function read(value: JsonValue, { kind }: Question): Verdict {
  if (kind === 'approval') return isYes(value) ? { action: 'resume', result: value } : refusal(value);
  if (kind === 'in_doubt' && isNo(value)) return refusal(value);
  return { action: 'resume', result: value };
}

/** A no; what was said beside it is its reason. */
function refusal(value: JsonValue | undefined): Verdict {
  const reason = reasonIn(value);
  return { action: 'cancel', result: value ?? null, ...(reason === undefined ? {} : { reason }) };
}

function reasonIn(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return isNo(value) || value.trim() === '' ? undefined : value;
  if (!isObject(value)) return undefined;
  return typeof value.reason === 'string' && value.reason !== '' ? value.reason : undefined;
}
