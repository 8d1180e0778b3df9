/** Flags of bash Ralph that act and exit instead of starting a loop; `bash-commands/action-flags.ts` maps each to a command. */
import type { FlagSpecs } from '../framework/command.ts'

export const ACTION_FLAGS = {
  status: { short: 's', help: 'Print status.json in the format of bash Ralph (for people: `ralph status`)' },
  'circuit-status': { help: 'Print the circuit breaker in the format of bash Ralph (for people: `ralph circuit`)' },
  'reset-circuit': { help: 'Old name of `ralph circuit reset`' },
  'reset-session': { help: 'Old name of `ralph conversation reset`' },
  rollback: { value: 'NAME', optional: true, help: 'Old name of `ralph rollback [NAME]`' },
} as const satisfies FlagSpecs
