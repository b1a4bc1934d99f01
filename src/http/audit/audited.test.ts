/** What the guard leaves behind of a request that is refused: a record, and while the service is not open a line. */

import { describe, expect, it, vi } from 'vitest';
import type { HostedEngine } from '../../actors/engine.js';
import type { Ctx } from '../context.js';
import { notInitialised } from '../../errors.js';
import { Service } from '../service-state.js';
import { audited } from './audited.js';
import { does } from './reading.js';

/** A cancel that is refused, by a service in some state. */
async function refusedBy(service: Service) {
  const logger = { info: vi.fn(), error: vi.fn() };
  const guard = audited(does('cancel'), { path: '/v1/runs/{run_id}/cancel', status: 202 }, {
    service,
    logger,
  } as unknown as Parameters<typeof audited>[2]);
  const ctx = {
    path: '/v1/runs/r/cancel',
    get: () => '',
    request: { body: {} },
    state: { principal: { id: 'somebody' }, request_id: 'request' },
  } as unknown as Ctx;
  await expect(guard(ctx, () => Promise.reject(notInitialised()))).rejects.toMatchObject({ code: 'not_initialised' });
  return logger;
}

describe('a request that is refused', () => {
  it('is recorded by an open service', async () => {
    const record = vi.fn();
    const service = new Service();
    service.mount({ inspect: () => ({ record }) } as unknown as HostedEngine);
    expect((await refusedBy(service)).info).not.toHaveBeenCalled();
    expect(record).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ action: 'cancel', principal: 'somebody', target: { run_id: 'r' }, status: 500 }),
    );
  });

  it('leaves a line and no complaint when the service is stopping', async () => {
    const service = new Service();
    service.stop();
    const logger = await refusedBy(service);
    expect(logger.error).not.toHaveBeenCalled();
    expect(logger.info).toHaveBeenCalledOnce();
  });
});
