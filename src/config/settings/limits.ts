/** What slows down or ends a run: quota, budget, breaker, exit, retry. */
import { ruleSetting, type Setting } from './setting.ts'

export const LIMITS_SETTINGS = {
  ...ruleSetting('quota.calls_per_hour', {
    flag: { long: 'calls', short: 'c', value: 'N' },
    old: ['MAX_CALLS_PER_HOUR'],
  }),
  ...ruleSetting('quota.tokens_per_hour', { old: ['MAX_TOKENS_PER_HOUR'] }),

  ...ruleSetting('budget.usd', { flag: { long: 'budget-usd', value: 'USD' } }),
  ...ruleSetting('budget.tokens', { flag: { long: 'budget-tokens', value: 'N' } }),
  ...ruleSetting('budget.minutes', { flag: { long: 'minutes', value: 'MINUTES' } }),
  ...ruleSetting('budget.reserve'),

  ...ruleSetting('breaker.no_progress', { old: ['CB_NO_PROGRESS_THRESHOLD'] }),
  ...ruleSetting('breaker.same_error', { old: ['CB_SAME_ERROR_THRESHOLD'] }),
  ...ruleSetting('breaker.denials', { old: ['CB_PERMISSION_DENIAL_THRESHOLD'] }),
  ...ruleSetting('breaker.output_decline', { old: ['CB_OUTPUT_DECLINE_THRESHOLD'] }),
  ...ruleSetting('breaker.half_open'),
  ...ruleSetting('breaker.cooldown', { old: ['CB_COOLDOWN_MINUTES'] }),
  ...ruleSetting('breaker.auto_reset', { flag: { long: 'auto-reset-circuit' }, old: ['CB_AUTO_RESET'] }),
  ...ruleSetting('breaker.wait'),

  ...ruleSetting('exit.test_only'),
  ...ruleSetting('exit.done_signals'),
  ...ruleSetting('exit.safety'),
  ...ruleSetting('exit.confirm'),
  ...ruleSetting('exit.plan'),
  ...ruleSetting('exit.denial', { old: ['PERMISSION_DENIAL_MODE'] }),

  ...ruleSetting('retry.first', { json: ['claude.initial_backoff_seconds'] }),
  ...ruleSetting('retry.max', { json: ['claude.max_backoff_seconds'] }),
  ...ruleSetting('retry.limit_wait'),
  ...ruleSetting('retry.outage'),
} satisfies Record<string, Setting>
