/**
 * A tool's question on its way out of the execution.
 *
 * `ask` throws, so that the tool ends where it asks; the question is kept here, so that it stands also when the tool
 * catches everything or goes on.
 */

import { toJson } from './to-json.js';
import type { Question } from './types.js';

export class Suspension {
  #question: Question | undefined;
  #settle!: () => void;
  /** Resolves when a question was asked. */
  readonly asked = new Promise<void>((resolve) => (this.#settle = resolve));

  /** The first question, as plain JSON. */
  get question(): Question | undefined {
    return this.#question;
  }

  /** Never returns. Throws a plain `Error` for a question that cannot be asked: the tool is at fault and fails. */
  ask(question: Question): never {
    this.#question ??= checked(question);
    this.#settle();
    throw new Suspended('the tool asked a question and ends here');
  }
}

/** Whoever catches it changes nothing. */
class Suspended extends Error {
  override readonly name = 'Suspended';
}

/** Tools also come from JavaScript, where types do not help. */
function checked(question: Question | undefined): Question {
  const { message, response_schema } = question ?? {};
  if (typeof message !== 'string' || message.trim() === '') throw new Error('suspend needs a message: what is asked');
  if (response_schema === undefined) return { message };
  const schema = toJson(response_schema);
  if (!schema.ok) throw new Error(`the response_schema of suspend ${schema.error}`);
  if (typeof schema.value !== 'object' || schema.value === null || Array.isArray(schema.value)) {
    throw new Error('the response_schema of suspend must be a JSON Schema object');
  }
  return { message, response_schema: schema.value };
}
