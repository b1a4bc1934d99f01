/**
 * Execute one tool call once.
 *
 * `executeTool` never rejects. It resolves
 * - `succeeded` with the result as plain JSON, also when the tool finished after an abort (it did happen);
 * - `failed` with a sentence for the model: bad arguments, a throw, a result that is not JSON, or the timeout. At the
 *   timeout the tool's signal fires and the call is over, whatever the tool does then;
 * - `aborted` when the caller's signal fired and the tool stopped because of it. A tool that ignores the signal keeps
 *   this promise pending until it settles or times out: how long to wait for it is the caller's decision.
 *
 * No stack reaches the model, and a late result or rejection after the timeout goes nowhere.
 */

import type { JsonValue } from '../json.js';
import { MAX_DELAY } from './timer.js';
import { toJson } from './to-json.js';
import type { Tool, ToolContext, ToolOutcome } from './types.js';

/** `timeout_ms` is the server's default; the tool's own goes before it. */
export async function executeTool(
  tool: Tool,
  args: JsonValue,
  context: ToolContext,
  { timeout_ms }: { timeout_ms: number },
): Promise<ToolOutcome> {
  if (context.signal.aborted) return { outcome: 'aborted' };
  if (!tool.execute) return failed(`the tool ${tool.name} has no server side`);
  const checked = check(tool, args);
  if (!checked.ok) return failed(`invalid arguments for ${tool.name}: ${checked.error}`);

  const limit = tool.timeout_ms ?? timeout_ms;
  const controller = new AbortController();
  const onAbort = () => controller.abort(context.signal.reason);
  context.signal.addEventListener('abort', onAbort, { once: true });
  let over = false;
  const progress: ToolContext['progress'] = (report) => {
    if (!over) context.progress({ ...report, progress: fraction(report.progress) });
  };
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<ToolOutcome>((resolve) => {
    timer = setTimeout(
      () => {
        resolve({ ...failed(`${tool.name} timed out after ${limit / 1000} s`), timed_out: true });
        controller.abort(new DOMException(`timed out after ${limit} ms`, 'TimeoutError'));
      },
      Math.min(limit, MAX_DELAY),
    );
  });
  try {
    return await Promise.race([
      run(tool, checked.value, { ...context, signal: controller.signal, progress }),
      timedOut,
    ]);
  } finally {
    over = true;
    clearTimeout(timer);
    context.signal.removeEventListener('abort', onAbort);
  }
}

/** The tool's own outcome, however long it takes. Never rejects, so that nothing is left behind when it loses a race. */
async function run(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  try {
    const result = toJson(await tool.execute!(input, context));
    return result.ok
      ? { outcome: 'succeeded', result: result.value }
      : failed(`the result of ${tool.name} ${result.error}`);
  } catch (error) {
    return context.signal.aborted ? { outcome: 'aborted' } : failed(sentence(error));
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
  if (error instanceof Error) return error.message || error.name;
  return typeof error === 'string' && error !== '' ? error : 'the tool failed without saying why';
}

const failed = (error: string): Extract<ToolOutcome, { outcome: 'failed' }> => ({ outcome: 'failed', error });

const fraction = (progress: number): number => (progress > 0 ? Math.min(progress, 1) : 0);
