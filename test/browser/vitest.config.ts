import { defineConfig } from 'vitest/config'

/** Each test starts a browser of its own; two of them at once are slower than one after the other. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    name: 'browser',
    include: ['*.test.ts'],
    reporters: ['default', '../ci-reporter.ts'],
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
})
