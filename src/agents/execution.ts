/**
 * Execute one tool call once.
 *
 * `executeTool` never rejects. It resolves
 * - `succeeded` with the result as plain JSON, also when the tool finished after an abort (it did happen);
 * - `failed` with a sentence for the model: bad arguments, a throw, or a result that is not JSON;
 * - `suspended` as soon as the tool asks a question, whatever it does then; its signal fires;
 * - `aborted` when the caller's signal fired and the tool stopped because of it.
 *
 * It knows no time: a tool that ignores its signal keeps the promise pending. How long to wait, and what it means when
 * the wait is over, is decided where the call is kept (the deadline is durable there, and a `once` tool that was given up
 * on is in doubt, not failed: CONTRACT 1.16).
 *
 * No stack and no key of ours reaches the model, and what comes after the outcome (a late result, progress, a rejection) goes nowhere.
 */

import type { JsonValue } from '../json.js';
import { redactText } from '../redact.js';
import { Suspension } from './suspension.js';
import { toJson } from './to-json.js';
import type { ExecutionContext, Tool, ToolContext, ToolOutcome } from './types.js';

/** Executes one call once; resolves as the head of this file says, and never rejects. */
export async function executeTool(tool: Tool, args: JsonValue, context: ExecutionContext): Promise<ToolOutcome> {
  if (context.signal.aborted) return { outcome: 'aborted' };
  if (!tool.execute) return failed(`the tool ${tool.name} has no server side`);
  const checked = check(tool, args);
  if (!checked.ok) return failed(`invalid arguments for ${tool.name}: ${checked.error}`);

  const controller = new AbortController();
  const onAbort = () => controller.abort(context.signal.reason);
  context.signal.addEventListener('abort', onAbort, { once: true });
  const suspension = new Suspension();
  let over = false;
  const own: ToolContext = {
    ...context,
    signal: controller.signal,
    progress(report) {
      if (!over) context.progress({ ...report, progress: fraction(report.progress) });
    },
    suspend(question) {
      // Nobody will answer a call that is being stopped.
      context.signal.throwIfAborted();
      return suspension.ask(question);
    },
  };
  try {
    const outcome = await Promise.race([run(tool, checked.value, own, context.signal), suspension.asked]);
    if (!suspension.question) return outcome!;
    controller.abort(new DOMException('the tool asked a question', 'AbortError'));
    return { outcome: 'suspended', ...suspension.question };
  } finally {
    over = true;
    context.signal.removeEventListener('abort', onAbort);
  }
}

/** The tool's own outcome, however long it takes. Never rejects, so that nothing is left behind when it loses a race. */
async function run(tool: Tool, input: unknown, context: ToolContext, caller: AbortSignal): Promise<ToolOutcome> {
  try {
    const result = toJson(await tool.execute!(input, context));
    return result.ok
      ? { outcome: 'succeeded', result: result.value }
      : failed(`the result of ${tool.name} ${result.error}`);
  } catch (error) {
    return caller.aborted ? { outcome: 'aborted' } : failed(sentence(error));
  }
}

/** A validator that throws is a fault of the tool, told to the model like any other. */
function check(tool: Tool, args: JsonValue): ReturnType<Tool['validate']> {
  try {
    return tool.validate(args);
  } catch (error) {
    return { ok: false, error: sentence(error) };
  }
}

function sentence(error: unknown): string {
  if (error instanceof Error) return redactText(error.message) || error.name;
  return typeof error === 'string' && error !== '' ? redactText(error) : 'the tool failed without saying why';
}

const failed = (error: string): Extract<ToolOutcome, { outcome: 'failed' }> => ({ outcome: 'failed', error });

const fraction = (progress: number): number => (progress > 0 ? Math.min(progress, 1) : 0);
