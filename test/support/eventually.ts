import { vi } from 'vitest';

/**
 * Asks again until it is so, and resolves with what was answered; for what a process of its own or a clock that the test
 * moves must bring about. Patient: how long that takes on a busy machine is not what a test is about.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { interval: 5, timeout: 20_000 });
