import { defineConfig } from 'vitest/config'

/** Unit tests are pure and share threads; walk tests start real processes and get a fork each. */
export default defineConfig({
  test: {
    reporters: ['default', './test/ci-reporter.ts'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/*.test.ts'],
          pool: 'threads',
          isolate: false,
        },
      },
      {
        test: {
          name: 'walk',
          include: ['test/walk/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
