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
    // The only limit there is. The longest case takes half a minute where nobody else works, and has failed if it takes this.
    testTimeout: 15 * 60_000,
    hookTimeout: 15 * 60_000,
  },
})
