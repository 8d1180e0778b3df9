/** Where a value was set: the answer to "why is it 7?", and the place that an error points at. */
import { RalphError } from '../core/error.ts'
import { assertNever } from '../core/assert-never.ts'

export type Origin =
  | { from: 'flag'; flag: string }
  | { from: 'environment'; name: string }
  | FileOrigin
  | { from: 'default' }

export interface FileOrigin {
  from: 'project' | 'user'
  file: string
  line: number | null
  /** The key as it is written there. */
  name: string
}

/** A value and where it was set. */
export interface WithOrigin<T> {
  value: T
  origin: Origin
}

/** One short phrase: `.ralphrc:3 MAX_CALLS_PER_HOUR`. */
export function originText(origin: Origin): string {
  switch (origin.from) {
    case 'flag':
      return `flag --${origin.flag}`
    case 'environment':
      return `environment ${origin.name}`
    case 'project':
    case 'user':
      return `${fileLocation(origin)} ${origin.name}`
    case 'default':
      return 'default'
    default:
      return assertNever(origin)
  }
}

/** A value that cannot be used. `problem` says what was found and what is expected. */
export function invalidSettingError(origin: Origin, problem: string): RalphError {
  switch (origin.from) {
    case 'flag':
      // The command line adds the command and where to find its help.
      return new RalphError('bad-setting', `--${origin.flag}: ${problem}`)
    case 'environment':
      return new RalphError('bad-setting', `environment variable ${origin.name}: ${problem}`, {
        hint: `Fix it or unset it: unset ${origin.name}`,
      })
    case 'project':
    case 'user':
      return new RalphError('bad-setting', `${fileLocation(origin)}: ${origin.name}: ${problem}`, {
        hint: `Fix it in ${origin.file}`,
      })
    case 'default':
      return new RalphError('bug', `a default is not valid: ${problem}`)
    default:
      return assertNever(origin)
  }
}

/** `file:line`, the form that editors and terminals turn into a link. */
export function fileLocation(at: { file: string; line: number | null }): string {
  return at.line === null ? at.file : `${at.file}:${at.line}`
}
