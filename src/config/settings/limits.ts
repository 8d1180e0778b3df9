/** What holds a run back or ends it: quota, budget, breaker, exit, retry. */
import { decides, type Setting } from './setting.ts'

export const LIMITS_SETTINGS = {
  ...decides('quota.calls_per_hour', {
    flag: { long: 'calls', short: 'c', value: 'N' },
    old: ['MAX_CALLS_PER_HOUR'],
  }),
  ...decides('quota.tokens_per_hour', { old: ['MAX_TOKENS_PER_HOUR'] }),

  ...decides('budget.usd', { flag: { long: 'budget-usd', value: 'USD' } }),
  ...decides('budget.tokens', { flag: { long: 'budget-tokens', value: 'N' } }),
  ...decides('budget.minutes', { flag: { long: 'minutes', value: 'MINUTES' } }),
  ...decides('budget.reserve'),

  ...decides('breaker.no_progress', { old: ['CB_NO_PROGRESS_THRESHOLD'] }),
  ...decides('breaker.same_error', { old: ['CB_SAME_ERROR_THRESHOLD'] }),
  ...decides('breaker.denials', { old: ['CB_PERMISSION_DENIAL_THRESHOLD'] }),
  ...decides('breaker.output_decline', { old: ['CB_OUTPUT_DECLINE_THRESHOLD'] }),
  ...decides('breaker.half_open'),
  ...decides('breaker.cooldown', { old: ['CB_COOLDOWN_MINUTES'] }),
  ...decides('breaker.auto_reset', {
    flag: { long: 'auto-reset-circuit' },
    old: ['CB_AUTO_RESET'],
  }),
  ...decides('breaker.wait'),

  ...decides('exit.test_only'),
  ...decides('exit.done_signals'),
  ...decides('exit.safety'),
  ...decides('exit.confirm'),
  ...decides('exit.plan'),
  ...decides('exit.denial', { old: ['PERMISSION_DENIAL_MODE'] }),

  ...decides('retry.first', { json: ['claude.initial_backoff_seconds'] }),
  ...decides('retry.max', { json: ['claude.max_backoff_seconds'] }),
  ...decides('retry.limit_wait'),
  ...decides('retry.outage'),
} satisfies Record<string, Setting>
