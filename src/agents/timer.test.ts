import { afterEach, describe, expect, it, vi } from 'vitest';
import { delay } from './timer.js';

describe('delay', () => {
  afterEach(() => void vi.useRealTimers());

  it('resolves after its time and lets go of the signal', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    const removed = vi.spyOn(signal, 'removeEventListener');
    const settled = vi.fn();
    const waiting = delay(100, signal).then(settled);
    await vi.advanceTimersByTimeAsync(99);
    expect(settled).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(removed).toHaveBeenCalledOnce();
  });

  it('rejects with the reason of its signal, before and during the wait, and leaves no timer', async () => {
    vi.useFakeTimers();
    const reason = new Error('enough');
    await expect(delay(100, AbortSignal.abort(reason))).rejects.toBe(reason);
    const abort = new AbortController();
    const waiting = delay(100, abort.signal);
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
