import { defineConfig } from 'vitest/config'

/** Vitest gives up a poll after a second; it is over as soon as what is polled for is there. */
const PATIENT = { poll: { timeout: 120_000 } }

/** Walk tests start real processes and get a fork each. */
function walk(name: string, include: string[]) {
  return {
    test: {
      name,
      include,
      pool: 'forks' as const,
      // A test that takes seconds on a quiet machine takes minutes beside twenty busy processes.
      testTimeout: 300_000,
      expect: PATIENT,
      // On a shared machine a process may once not get its turn in time; a real fault fails every time.
      retry: process.env['CI'] === undefined ? 0 : 2,
      hookTimeout: 300_000,
    },
  }
}

/** Unit tests are pure and share threads. `npm test` runs unit and walk; the long walks have their own script. */
export default defineConfig({
  test: {
    reporters: ['default', './test/ci-reporter.ts'],
    // Walk tests mostly wait for processes, so every core may have one.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'scripted-agent/*.test.ts', 'test/*.test.ts'],
          // Many calls of git: these run with the long walks.
          exclude: ['src/**/*.long.test.ts'],
          pool: 'threads',
          isolate: false,
          // Generous, for machines that do other things meanwhile; no test waits for a fixed time.
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: PATIENT,
          retry: process.env['CI'] === undefined ? 0 : 2,
        },
      },
      walk('walk', ['test/walk/**/*.test.ts', 'test/sim/*.test.ts']),
      walk('long', ['test/long/**/*.test.ts', 'test/false-done/*.test.ts', 'src/**/*.long.test.ts']),
    ],
  },
})
