/**
 * How a process of ours is known again, whoever its parent is by now: by a variable in the environment it was started with, and on
 * Linux by a number among its limits. The variable is gone after `env -i`; the number is handed from parent to child by the kernel
 * and lost only by a program that sets that very limit.
 */
import { childProcess, crypto } from '../lazy.ts'
import { HAS_PROC, type Proc, procText, ps } from './process-table.ts'

export interface Mark {
  /** Of the variable. */
  name: string
  value: string
}

/** Writes the number. The kernel has counted no file locks since Linux 2.4, so that limit holds whatever we like. `prlimit` is part of
 *  util-linux; where it is missing, or not allowed, the variable is all there is. It takes a few milliseconds: what the program
 *  starts before that carries the variable only. */
export function putNumber(pid: number, mark: Mark): void {
  if (!HAS_PROC) return
  const child = childProcess().spawn('prlimit', ['--pid', String(pid), `--locks=${numberOf(mark)}:`], {
    stdio: 'ignore',
    // Never one that a repository on the PATH brings along.
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
  })
  child.on('error', () => {})
  child.unref()
}

/** 48 bits of the mark's hash: nobody else's limit by chance, and the same after a crash. */
function numberOf({ name, value }: Mark): number {
  const text = `${name}=${value}`
  return Number.parseInt(crypto().createHash('sha256').update(text).digest('hex').slice(0, 12), 16)
}

export interface Marked {
  marked: Proc[]
  /** They told nothing: they begin, end, or are another user's. */
  unsure: Proc[]
}

/** Tells which processes carry the mark. */
export function markReader(mark: Mark): (procs: Proc[]) => Marked {
  const variable = Buffer.from(`${mark.name}=${mark.value}`).toString('latin1') // the bytes, as they are read below
  return HAS_PROC ? byProc(variable, numberOf(mark)) : byPs(variable)
}

function byProc(variable: string, number: number): (procs: Proc[]) => Marked {
  const limit = new RegExp(`^Max file locks +${number} `, 'm')
  return (procs) => {
    const found: Marked = { marked: [], unsure: [] }
    for (const proc of procs) {
      const environment = procText(proc.pid, 'environ')
      const carries =
        `\0${environment}\0`.includes(`\0${variable}\0`) || limit.test(procText(proc.pid, 'limits'))
      if (carries) found.marked.push(proc)
      // A program that is just being loaded has no environment for a moment.
      else if (environment === '') found.unsure.push(proc)
    }
    return found
  }
}

/** BSD `ps` appends the environment to the command with -E. Words are split at blanks there, so this is the best effort
 *  of a machine that has no /proc. */
function byPs(variable: string): (procs: Proc[]) => Marked {
  return (procs) => {
    if (procs.length === 0) return { marked: [], unsure: [] }
    const lines = ps(['-A', '-E', '-ww', '-o', 'pid=,command=']).filter((line) =>
      line.split(/\s+/).includes(variable),
    )
    const pids = new Set(lines.map((line) => Number.parseInt(line, 10)))
    return { marked: procs.filter((proc) => pids.has(proc.pid)), unsure: [] }
  }
}
