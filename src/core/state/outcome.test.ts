/** What the end of a run is called, and which exit code it leads to. */
import { expect, test } from 'vitest'
import { EXIT, type ExitCode } from '../error.ts'
import { exitCodeOf, isCompleteOutcome, isStopOutcome, type OutcomeName } from './outcome.ts'

const { done, incomplete, unproven, usage, agent, error } = EXIT

/** The exit code: proven; unproven; unproven where proof is required. */
test.each<[name: OutcomeName, codes: [ExitCode, ExitCode, ExitCode]]>([
  ['plan_complete', [done, done, unproven]],
  ['project_complete', [done, done, unproven]],
  ['completion_signals', [done, done, unproven]],
  ['test_saturation', [incomplete, incomplete, incomplete]],
  ['safety_stop', [incomplete, incomplete, incomplete]],
  ['permission_denied', [incomplete, incomplete, incomplete]],
  ['breaker', [incomplete, incomplete, incomplete]],
  ['iteration_limit', [incomplete, incomplete, incomplete]],
  ['time_limit', [incomplete, incomplete, incomplete]],
  ['token_limit', [incomplete, incomplete, incomplete]],
  ['cost_limit', [incomplete, incomplete, incomplete]],
  ['outage', [incomplete, incomplete, incomplete]],
  ['api_limit_exit', [incomplete, incomplete, incomplete]],
  ['cannot_prove', [incomplete, incomplete, incomplete]],
  ['files_deleted', [incomplete, incomplete, incomplete]],
  ['stopped', [incomplete, incomplete, incomplete]],
  ['abandoned', [incomplete, incomplete, incomplete]],
  ['agent_unusable', [agent, agent, agent]],
  ['program_missing', [agent, agent, agent]],
  ['not_started', [usage, usage, usage]],
  ['needs_acceptance', [unproven, unproven, unproven]],
  ['room_failed', [unproven, unproven, unproven]],
  ['failed', [error, error, error]],
])('%s', (name, codes) => {
  expect([
    exitCodeOf(name, { verdict: 'proven', required: true }),
    exitCodeOf(name, { verdict: 'unproven', required: false }),
    exitCodeOf(name, { verdict: 'unproven', required: true }),
  ]).toEqual(codes)
  expect(isCompleteOutcome(name)).toBe(codes[0] === done)
  expect(isStopOutcome(name)).toBe(name === 'stopped' || name === 'api_limit_exit')
})
