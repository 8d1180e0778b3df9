/**
 * How a process of ours is known again, whoever its parent is by now: by a variable in the environment it was started with, and on
 * Linux by a number among its limits. The variable is gone after `env -i`; the number is handed from parent to child by the kernel
 * and lost only by a program that sets that very limit.
 */
import { childProcess, crypto } from '../lazy-node.ts'
import { HAS_PROC, type Proc, procFileText, runPs } from './process-table.ts'

export interface ProcessMark {
  /** Of the variable. */
  name: string
  value: string
}

/** What has the program carry the number from the beginning: `prlimit` of util-linux sets it and becomes the program. The kernel has counted no
 *  file locks since Linux 2.4, so that limit holds whatever we like. Where there is no `prlimit`, or where it may not set that limit, the
 *  program is started as it is, and the variable is all there is. */
export function withMarkLimit(argv: readonly string[], mark: ProcessMark): string[] {
  prlimit ??= HAS_PROC ? findPrlimit(mark) : []
  return prlimit.length === 0 ? [...argv] : [...prlimit, limitOf(mark), '--', ...argv]
}

let prlimit: string[] | undefined

function findPrlimit(mark: ProcessMark): string[] {
  const folders = HELPER.env.PATH.split(':')
  const able = folders
    .map((folder) => `${folder}/prlimit`)
    .find((file) => {
      const { status } = childProcess().spawnSync(file, [limitOf(mark), '--', 'true'], HELPER)
      return status === 0
    })
  return able === undefined ? [] : [able]
}

/** Never one that a repository on the PATH brings along. */
const HELPER = { stdio: 'ignore', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' } } as const

function limitOf(mark: ProcessMark): string {
  return `--locks=${numberOf(mark)}:`
}

/** 48 bits of the mark's hash: nobody else's limit by chance, and the same after a crash. */
function numberOf({ name, value }: ProcessMark): number {
  const text = `${name}=${value}`
  return Number.parseInt(crypto().createHash('sha256').update(text).digest('hex').slice(0, 12), 16)
}

export interface MarkedProcesses {
  marked: Proc[]
  /** They told nothing: they begin, end, or are another user's. */
  unsure: Proc[]
}

/** Tells which processes carry one of the marks. */
export function createMarkFinder(marks: ProcessMark[]): (procs: Proc[]) => MarkedProcesses {
  // The bytes, as they are read below.
  const variables = new Set(marks.map(({ name, value }) => Buffer.from(`${name}=${value}`).toString('latin1')))
  return HAS_PROC ? byProc(variables, new Set(marks.map(numberOf))) : byPs(variables)
}

function byProc(variables: Set<string>, numbers: Set<number>): (procs: Proc[]) => MarkedProcesses {
  const numberAt = (pid: number): number => Number(/^Max file locks +(\d+) /m.exec(procFileText(pid, 'limits'))?.[1])
  return (procs) => {
    const found: MarkedProcesses = { marked: [], unsure: [] }
    for (const proc of procs) {
      const environment = procFileText(proc.pid, 'environ')
      const carries =
        environment.split('\0').some((variable) => variables.has(variable)) || numbers.has(numberAt(proc.pid))
      if (carries) found.marked.push(proc)
      // A program that is just being loaded has no environment for a moment.
      else if (environment === '') found.unsure.push(proc)
    }
    return found
  }
}

/** BSD `runPs` appends the environment to the command with -E. Words are split at blanks there, so this is the best effort
 *  of a machine that has no /proc. */
function byPs(variables: Set<string>): (procs: Proc[]) => MarkedProcesses {
  return (procs) => {
    if (procs.length === 0) return { marked: [], unsure: [] }
    const lines = runPs(['-A', '-E', '-ww', '-o', 'pid=,command=']).filter((line) =>
      line.split(/\s+/).some((word) => variables.has(word)),
    )
    const pids = new Set(lines.map((line) => Number.parseInt(line, 10)))
    return { marked: procs.filter((proc) => pids.has(proc.pid)), unsure: [] }
  }
}
