/**
 * When a run ends although its model would go on (CONTRACT 1.4).
 *
 * Conditions are looked at in order when a step is over, that is when all its calls have their results, so a run that is
 * stopped here leaves no call open. The first that holds ends the run. A step without calls ends the run by itself:
 * there only `content_match` may change what the end is called, a budget never spoils an answer that is complete.
 *
 * `timeout` is the one that cannot wait for the end of a step: it is a deadline of the run (`timeoutOf`).
 */

import type { JsonValue } from '../../json.js';
import { matchesName } from './names.js';
import { MAX_TEXT, occursIn } from './pattern.js';

export type StopCondition = Readonly<
  /** A call of the tool succeeded (one that failed or was denied goes back to the model). `*` stands for any characters. */
  | { type: 'stop_on_tool'; tool: string }
  /** The step's text contains the regular expression (RE2). */
  | { type: 'content_match'; pattern: string }
  /** The run has been running for this long, pauses left out. */
  | { type: 'timeout'; ms: number }
  /** Input and output tokens of the run reach this number. */
  | { type: 'token_budget'; tokens: number }
  /** This many calls in a row have failed; a success starts over, what a person denied does not count. */
  | { type: 'consecutive_errors'; count: number }
  /** The step's calls, arguments included, were made `threshold` times within the last `window` steps. */
  | { type: 'loop_detection'; window: number; threshold: number }
  /** The model has been asked this often; the lower of this and the agent's `max_rounds` holds. */
  | { type: 'max_rounds'; rounds: number }
>;

/** As it may be written: a loop detection has a window of 10 and a threshold of 3 unless it says otherwise. */
export type StopConditionDefinition =
  | Exclude<StopCondition, { type: 'loop_detection' }>
  | Readonly<{ type: 'loop_detection'; window?: number; threshold?: number }>;

export type StepCall = {
  name: string;
  arguments: JsonValue;
  outcome: 'succeeded' | 'failed' | 'denied' | 'cancelled';
};

/** The step that is over, and the run up to and with it. */
export type StepFacts = {
  text: string;
  calls: readonly StepCall[];
  usage: { total_tokens: number };
  /** Answers of the model so far. */
  rounds: number;
  /** As `remember` counts them. */
  consecutive_failures: number;
  /** Of the recent steps, the oldest first, as `remember` collects them. */
  signatures: readonly string[];
};

export type StopCode =
  | 'tool_called'
  | 'content_matched'
  | 'token_budget_exceeded'
  | 'consecutive_errors_exceeded'
  | 'loop_detected'
  | 'max_rounds_reached';

/** Why the run ends. `detail` is for people, but for `tool_called` (the tool) and `content_matched` (the pattern). */
export type Stop = { code: StopCode; detail: string };

/** The first condition that holds after a step; null when the run goes on. Pure. */
export function stopAfterStep(conditions: readonly StopCondition[], facts: StepFacts): Stop | null {
  for (const condition of conditions) {
    if (facts.calls.length === 0 && condition.type !== 'content_match') continue;
    const stop = check(condition, facts);
    if (stop) return stop;
  }
  return null;
}

function check(condition: StopCondition, facts: StepFacts): Stop | null {
  switch (condition.type) {
    case 'stop_on_tool': {
      const hit = facts.calls.find((call) => call.outcome === 'succeeded' && matchesName(condition.tool, call.name));
      return hit ? { code: 'tool_called', detail: hit.name } : null;
    }
    case 'content_match': {
      const { pattern } = condition;
      return occursIn(pattern, facts.text.slice(-MAX_TEXT)) ? { code: 'content_matched', detail: pattern } : null;
    }
    case 'token_budget': {
      const used = facts.usage.total_tokens;
      if (used < condition.tokens) return null;
      return { code: 'token_budget_exceeded', detail: `${used} tokens of ${condition.tokens}` };
    }
    case 'consecutive_errors':
      if (facts.consecutive_failures < condition.count) return null;
      return { code: 'consecutive_errors_exceeded', detail: `${facts.consecutive_failures} failed calls in a row` };
    case 'loop_detection': {
      const recent = facts.signatures.slice(-condition.window);
      const times = recent.filter((signature) => signature === recent.at(-1)).length;
      if (times < condition.threshold) return null;
      return { code: 'loop_detected', detail: `the same calls ${times} times in ${recent.length} steps` };
    }
    case 'max_rounds':
      return facts.rounds < condition.rounds ? null : { code: 'max_rounds_reached', detail: `${facts.rounds} rounds` };
    case 'timeout':
      return null;
  }
}

/** Milliseconds a run may be running: its shortest `timeout`, or null when it has none. */
export function timeoutOf(conditions: readonly StopCondition[]): number | null {
  const bounds = conditions.flatMap((condition) => (condition.type === 'timeout' ? [condition.ms] : []));
  return bounds.length === 0 ? null : Math.min(...bounds);
}
