/** Explains why a program could not be started, so that a person can act on it. */
import { messageOf } from '../../core/error.ts'
import { errorCodeOf } from '../files/file-error.ts'

export interface StartAttempt {
  program: string
  cwd: string
  /** What existed right after the failure: the system says "no such file" for several different problems. */
  found: { program: boolean; cwd: boolean }
}

export interface StartFailure {
  problem: string
  /** The program does not exist and has to be installed. */
  missing: boolean
}

export function startFailureOf(thrown: unknown, { program, cwd, found }: StartAttempt): StartFailure {
  const because = (why: string) => ({ problem: `could not start ${program}: ${why}`, missing: false })
  const code = errorCodeOf(thrown)
  switch (code) {
    case 'ENOENT':
      if (!found.cwd) return because(`there is no folder ${cwd}`)
      if (found.program) return because('the interpreter in its first line does not exist')
      return { problem: `there is no program ${program}`, missing: true }
    case 'ENOTDIR':
      return because(`${cwd} is not a folder`)
    case 'EACCES':
    case 'EPERM':
      return because(`it is not executable, or you have no access to ${cwd}`)
    case 'ENOEXEC':
    case 'EBADARCH':
      return because('it is not a program for this machine')
    case 'E2BIG':
      return because('its arguments and environment are too long')
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return because(`the machine cannot start another process (${code})`)
    default:
      return because(messageOf(thrown))
  }
}
