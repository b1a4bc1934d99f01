/** What was begun before the engine closes is answered; the store is closed behind it. */

import { expect, it } from 'vitest';
import { MemoryStore } from '../../store/memory.js';
import type { Key } from '../../store/port.js';
import { bench } from '../../../test/support/engine.js';
import { demoAgents } from '../../agents/demo.js';

/** A store whose reads wait when it is told to hold them. */
class SlowStore extends MemoryStore {
  #held: Promise<void> | null = null;
  release = (): void => {};

  hold(): void {
    this.#held = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  override async get(key: Key): Promise<string | undefined> {
    await this.#held;
    return super.get(key);
  }
}

it('answers a read that was under way, and refuses those that come later', async () => {
  const store = new SlowStore();
  const { engine, start, settle } = await bench(demoAgents(), { store });
  const { run_id, thread_id } = await start('assistant', 'hi', { state: { a: 1 } });
  await settle(run_id);
  store.hold();
  const state = engine.read({ kind: 'state', thread_id });
  const closed = engine.close(0);
  await expect(engine.read({ kind: 'state', thread_id })).rejects.toMatchObject({ code: 'not_initialised' });
  store.release();
  expect(await state).toEqual({ a: 1 });
  await closed;
  expect(engine.status).toBe('stopped');
});

it('does not wait for ever for a read that the store never answers', async () => {
  const store = new SlowStore();
  const { engine, start, settle } = await bench(demoAgents(), { store });
  const { run_id, thread_id } = await start('assistant', 'hi');
  await settle(run_id);
  store.hold();
  const state = engine.read({ kind: 'state', thread_id });
  await engine.close(0);
  store.release();
  await expect(state).rejects.toThrow();
});
