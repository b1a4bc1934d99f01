/** A key that changes something on the server: what it would change, as a question; or why it cannot. Pure. */

import type { KeyAction } from '../keys.js';
import type { Model, View } from './model.js';
import {
  cancelEntryPlan,
  cancelPlan,
  decidePlan,
  interruptPlan,
  isActive,
  retryCallPlan,
  retryEntriesPlan,
  type Plan,
  type Question,
} from './plan.js';
import { chosenEntries, chosenQuestions, chosenTargets, stakeOf } from './selection.js';

/** The view with the question in it, or with a notice that there is nothing to do. */
export function begin(model: Model, action: KeyAction): View {
  switch (action) {
    case 'approve':
      return approve(model);
    case 'deny':
      return ask(model, deny(model), 'nothing here waits for a decision');
    case 'cancel':
      return ask(model, cancel(model), 'nothing here can be cancelled');
    case 'interrupt':
      return ask(model, interrupt(model), 'there is no thread here');
    case 'retry':
      return ask(model, retry(model), 'there is neither a dead letter nor a call in doubt here');
    case 'message':
      return compose(model);
    default:
      return model.view;
  }
}

function ask(model: Model, plan: Plan | undefined, otherwise: string): View {
  if (!plan) return notice(model, otherwise);
  return { ...model.view, mode: { is: 'confirm', plan, typed: '', reason: '', field: 'typed' } };
}

const notice = ({ view, now }: Model, text: string): View => ({
  ...view,
  notice: { text, tone: 'plain', until: now + 3_000 },
});

/** Only an approval can be answered with yes; the other questions want to know something. */
function approve(model: Model): View {
  const questions = chosenQuestions(model);
  const approvals = questions.filter(({ kind }) => kind === 'approval');
  if (approvals.length > 0) return ask(model, decidePlan('approve', approvals, model.setup.where), '');
  const [question] = questions;
  if (!question) return notice(model, 'nothing here waits for a decision');
  if (questions.length > 1) return notice(model, 'answers are given one at a time: take the marks away');
  return composeAnswer(model, question);
}

const composeAnswer = ({ view }: Model, { run_id, tool_call_id, name, asks }: Question): View => ({
  ...view,
  mode: {
    is: 'compose',
    what: { kind: 'answer', run_id, tool_call_id, asks: `${name}: ${asks}` },
    text: '',
    error: null,
  },
});

function deny(model: Model): Plan | undefined {
  const questions = chosenQuestions(model);
  return questions.length > 0 ? decidePlan('deny', questions, model.setup.where) : undefined;
}

function cancel(model: Model): Plan | undefined {
  const queued = chosenEntries(model).find(({ status }) => status === 'queued');
  if (queued) return cancelEntryPlan(queued, model.setup.where);
  const stakes = chosenTargets(model)
    .map((target) => stakeOf(model, target))
    .filter(isActive);
  return stakes.length > 0 ? cancelPlan(stakes, model.setup.where) : undefined;
}

/** Of several runs of one thread the thread is interrupted once. */
function interrupt(model: Model): Plan | undefined {
  const threads = new Map(chosenTargets(model).map((target) => [target.thread_id, stakeOf(model, target)]));
  return threads.size > 0 ? interruptPlan([...threads.values()], model.setup.where) : undefined;
}

function retry(model: Model): Plan | undefined {
  const letters = chosenEntries(model).filter(({ status }) => status === 'dead_letter');
  if (letters.length > 0) return retryEntriesPlan(letters, model.setup.where);
  const doubtful = chosenQuestions(model).find(({ kind }) => kind === 'in_doubt');
  return doubtful && retryCallPlan(doubtful, model.setup.where);
}

function compose(model: Model): View {
  const [target] = chosenTargets(model);
  if (!target) return notice(model, 'there is no thread here');
  const run =
    target.run_id === null ? undefined : (model.fleet.runs.get(target.run_id) ?? model.fleet.ended.get(target.run_id));
  if (!run?.agent_id) return notice(model, 'open a run first: it says which agent to talk to');
  return {
    ...model.view,
    mode: { is: 'compose', what: { kind: 'message', target, agent_id: run.agent_id }, text: '', error: null },
  };
}
