/** Flags and arguments that many commands have. */

export const JSON_FLAG = { help: 'Print JSON' } as const

export const TRUST_FLAG = {
  help: 'Trust the commands that project files specify, from now on (this time only: RALPH_TRUST=1)',
} as const

export const LIMIT_FLAG = { value: 'N', whole: { min: 1 }, help: 'Show at most N' } as const

export const QUIET_FLAG = { short: 'q', help: 'Print only the result' } as const

export const YES_FLAG = { short: 'y', help: "Don't prompt" } as const

/** A run ID or the beginning of one; absent: the last run. */
export const RUN_ARG = { says: 'RUN', takes: 'maybe', offers: 'runs' } as const

export const FOLDER_ARG = { says: 'FOLDER', takes: 'maybe', offers: 'files' } as const
