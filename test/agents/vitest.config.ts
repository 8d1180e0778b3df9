import { defineConfig } from 'vitest/config'

/** Real programs are slow to start, busy while they run and idle while they wait: two vendors at a time, each with one process. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    name: 'agents',
    include: ['*.test.ts'],
    reporters: ['default', '../ci-reporter.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    // A vendor's program may once not get its turn in time on a shared machine; a real fault fails every time.
    retry: process.env['CI'] === undefined ? 0 : 1,
    hookTimeout: 60_000,
  },
})
