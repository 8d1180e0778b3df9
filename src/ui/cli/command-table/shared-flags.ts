/** Flags and arguments that many commands have. */

export const JSON_FLAG = { help: 'Print JSON for programs' } as const

export const TRUST_FLAG = {
  help: "Trust the programs that the project's files name, from now on (RALPH_TRUST=1: this time only)",
} as const

export const LIMIT_FLAG = { value: 'N', whole: { min: 1 }, help: 'At most so many' } as const

export const QUIET_FLAG = { short: 'q', help: 'Only the result' } as const

/** A run ID or the beginning of one; absent: the last run. */
export const RUN_ARG = { says: 'RUN', takes: 'maybe', offers: 'runs' } as const

export const FOLDER_ARG = { says: 'FOLDER', takes: 'maybe', offers: 'files' } as const
