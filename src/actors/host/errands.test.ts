import { expect, test } from 'vitest';
import { createAgentRegistry } from '../../agents/registry.js';
import { agentNotFound, AgentServerError, ErrorCode, storageUnavailable } from '../../errors.js';
import { MemoryStore } from '../../store/memory.js';
import type { OutboxCell } from '../thread/cells.js';
import { errandsOf } from './errands.js';

test('a start is tried again at once that may succeed any moment, now and then when its agent is gone', async () => {
  const { failed } = errandsOf({
    agents: createAgentRegistry([]),
    store: new MemoryStore(),
    deliverPush: null,
    start: () => Promise.reject(new Error('not tried here')),
  });
  const cell: OutboxCell = {
    start: { agent_id: 'a', run_id: 'r', thread_id: 't', origin: 'internal', on_busy: 'enqueue', messages: [] },
  };
  const again = async (error: Error, failures: number) => (await failed(cell, error, failures, 0)) as object;
  for (const error of [storageUnavailable(), new AgentServerError(ErrorCode.tooMany, 'full'), new Error('?')])
    expect(await again(error, 100)).toEqual({ is: 'again', in_ms: 1_000 });
  expect(await again(agentNotFound('a'), 1)).toEqual({ is: 'again', in_ms: 60_000 });
});
