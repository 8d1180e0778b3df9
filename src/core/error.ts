/**
 * Errors a person can fix. Everything thrown on purpose is a RalphError: it says what happened, to which thing,
 * and what to do next. Anything else that reaches the top is an internal error (exit 70).
 */

/** Every exit code Ralph documents, by name. */
export const EXIT = {
  done: 0,
  error: 1,
  usage: 2,
  nothing: 3,
  incomplete: 4,
  unproven: 5,
  agent: 6,
  store: 7,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What went wrong, as a stable word for `--json` and for scripts; the value is the exit code it leads to. */
const CODES = {
  usage: EXIT.usage,
  'bad-setting': EXIT.usage,
  'unknown-setting': EXIT.usage,
  'not-offered': EXIT.usage,
  untrusted: EXIT.usage,
  'bad-file': EXIT.error,
  'not-found': EXIT.error,
  'not-a-project': EXIT.nothing,
  'no-prompt': EXIT.error,
  'no-run': EXIT.nothing,
  'nothing-asked': EXIT.nothing,
  'moved-on': EXIT.unproven,
  held: EXIT.error,
  'changed-meanwhile': EXIT.error,
  'inside-run': EXIT.error,
  'git-failed': EXIT.error,
  inseparable: EXIT.incomplete,
  limited: EXIT.incomplete,
  'agent-missing': EXIT.agent,
  'program-missing': EXIT.agent,
  'agent-unusable': EXIT.agent,
  'store-newer': EXIT.store,
  'store-damaged': EXIT.store,
  'store-busy': EXIT.store,
  'store-lost': EXIT.store,
  'witness-lost': EXIT.store,
  'room-failed': EXIT.unproven,
  disk: EXIT.store,
  io: EXIT.error,
  interrupted: EXIT.interrupted,
  terminated: EXIT.terminated,
  bug: EXIT.bug,
} as const satisfies Record<string, ExitCode>

export type ErrorCode = keyof typeof CODES

export interface ErrorDetail {
  /** The next step, as a sentence or a command to type. */
  hint?: string
  cause?: unknown
  /** More than fits in one sentence: lines for people, fields for programs. */
  more?: { lines: string[]; facts: Record<string, unknown> }
}

export class RalphError extends Error {
  override readonly name = 'RalphError'
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly more: ErrorDetail['more']

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause })
    this.code = code
    this.hint = detail.hint
    this.more = detail.more
  }

  get exit(): ExitCode {
    return CODES[this.code]
  }
}

/** The text of anything that was thrown, on one line. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown)
  return text.replace(/\s+/g, ' ').trim()
}
