import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/support/check-answers.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for happens soon; on a busy machine not within vitest's own second.
    expect: { poll: { timeout: 20_000 } },
    maxWorkers: 2,
  },
});
