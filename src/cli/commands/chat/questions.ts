/** The questions of a run, asked inline. */

import type { Decision, JsonValue, Suspension } from '../../client/index.js';
import { harmless } from '../../rail/segments.js';
import type { Session } from '../../session/session.js';
import { toDecision, type Verdict } from '../decide/actions.js';

/**
 * An answer to each question. `nobody`: there is no person to ask, and what would have to be typed was said instead.
 * `over`: the signal says that no answer is wanted any more.
 */
export async function askAll(
  session: Session,
  pending: readonly Suspension[],
  signal: AbortSignal,
): Promise<Decision[] | 'nobody' | 'over'> {
  const decisions: Decision[] = [];
  for (const question of pending) {
    if (!session.interactive) {
      await session.say(`${question.name} waits (${question.kind}): ${harmless(question.message)}`);
      continue;
    }
    try {
      const answer = await askOne(session, question, signal);
      if (answer === null) return 'nobody';
      decisions.push(answer);
    } catch (error) {
      if (session.signal.aborted || !signal.aborted) throw error;
      return 'over';
    }
  }
  return session.interactive ? decisions : 'nobody';
}

const HOW: Readonly<Record<Suspension['kind'], string>> = {
  approval: 'approve? [y/N, or why not] ',
  frontend: 'its result (JSON or text; empty denies) ',
  input: 'your answer (JSON or text; empty denies) ',
  in_doubt: 'did it happen? its result (JSON or text), retry, or empty: it did not ',
};

async function askOne(session: Session, question: Suspension, signal: AbortSignal): Promise<Decision | null> {
  const said = await session.ask(`${question.name}: ${harmless(question.message)}\n${HOW[question.kind]}`, signal);
  if (said === null) return null;
  const { verdict, result, reason } = read(question.kind, said.trim());
  const { id, kind, message } = question;
  return toDecision({ ...question, suspension: { id, kind, message } }, verdict, result, reason);
}

function read(kind: Suspension['kind'], said: string): { verdict: Verdict; result: JsonValue; reason?: string } {
  if (kind === 'approval' && /^y(es)?$/i.test(said)) return { verdict: 'approve', result: null };
  if (kind === 'approval') {
    return { verdict: 'deny', result: null, ...(/^(no?)?$/i.test(said) ? {} : { reason: said }) };
  }
  if (said === '') return { verdict: 'deny', result: null };
  if (kind === 'in_doubt' && said === 'retry') return { verdict: 'answer', result: { retry: true } };
  return { verdict: 'answer', result: jsonOr(said) };
}

/** What is no JSON is a text. */
function jsonOr(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
