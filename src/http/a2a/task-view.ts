/** The task projection (spec, "A2A task projection"): the run, and what was said on its thread. */

import { z } from 'zod';
import type { Engine } from '../../actors/engine.js';
import { runCodes, runOrigins, runStatuses, type Message, type RunRecord } from '../../actors/records.js';
import { time } from '../answers.js';

const said = z.object({ role: z.enum(['user', 'assistant', 'system']), content: z.string() });
type Said = z.output<typeof said>;

export const taskView = z
  .object({
    taskId: z.string(),
    contextId: z.string(),
    status: z.enum(runStatuses),
    origin: z.enum(runOrigins),
    terminationCode: z.enum(runCodes).nullable(),
    terminationDetail: z.string().nullable(),
    createdAt: time,
    updatedAt: time,
    message: said.nullable().describe('the latest public output of the agent'),
    artifacts: z.array(z.object({ content: z.string() })),
    history: z.array(said),
  })
  .meta({ id: 'A2aTask' });

/** The task as it stands. Its output is what the run itself has said; the history is the thread's. */
export async function viewOf(engine: Engine, run: RunRecord): Promise<z.output<typeof taskView>> {
  const range = { kind: 'messages', thread_id: run.thread_id, visibility: 'public' } as const;
  const messages = (await engine.read(range)) ?? [];
  const output = messages.findLast((m) => m.run_id === run.run_id && m.role === 'assistant' && m.content !== '');
  return {
    taskId: run.run_id,
    contextId: run.thread_id,
    status: run.status,
    origin: run.origin,
    terminationCode: run.termination_code,
    terminationDetail: run.termination_detail,
    createdAt: run.created_at,
    updatedAt: run.updated_at,
    message: output ? { role: 'assistant', content: output.content } : null,
    artifacts: output ? [{ content: output.content }] : [],
    history: messages.filter(isSpoken).map(({ role, content }) => ({ role, content })),
  };
}

/** Tool results are no words of anybody, and an answer that consists of calls says nothing. */
const isSpoken = (message: Message): message is Message & Said =>
  message.role !== 'tool' && (message.role !== 'assistant' || message.content !== '');
