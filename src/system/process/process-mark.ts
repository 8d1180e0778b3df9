/**
 * How Ralph recognizes its processes, whatever their parent is by now: by a variable in their initial environment, and on Linux by a
 * number among their limits. `env -i` removes the variable; the kernel passes the number from parent to child, and only a program that
 * sets that very limit loses it.
 */
import { nodeChildProcess, nodeCrypto } from '../lazy-node.ts'
import { HAS_PROC, type Proc, procFileText, runPs } from './process-table.ts'

export interface ProcessMark {
  /** The name of the variable. */
  name: string
  value: string
}

/** Wraps the command so that the program has the number from the start: `prlimit` of util-linux sets it and then becomes the program.
 *  The kernel has not counted file locks since Linux 2.4, so that limit can hold any number. Without `prlimit`, or without the
 *  permission to set that limit, the program starts unwrapped and has only the variable. */
export function markCommandWithRlimit(argv: readonly string[], mark: ProcessMark): string[] {
  prlimit ??= HAS_PROC ? findPrlimit(mark) : []
  return prlimit.length === 0 ? [...argv] : [...prlimit, limitOf(mark), '--', ...argv]
}

let prlimit: string[] | undefined

function findPrlimit(mark: ProcessMark): string[] {
  const folders = HELPER.env.PATH.split(':')
  const able = folders
    .map((folder) => `${folder}/prlimit`)
    .find((file) => {
      const { status } = nodeChildProcess().spawnSync(file, [limitOf(mark), '--', 'true'], HELPER)
      return status === 0
    })
  return able === undefined ? [] : [able]
}

/** A fixed PATH, so that no program of the repository is used. */
const HELPER = { stdio: 'ignore', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' } } as const

function limitOf(mark: ProcessMark): string {
  return `--locks=${numberOf(mark)}:`
}

/** 48 bits of the mark's hash: no other limit equals it by chance, and it is the same after a crash. */
function numberOf({ name, value }: ProcessMark): number {
  const text = `${name}=${value}`
  return Number.parseInt(nodeCrypto().createHash('sha256').update(text).digest('hex').slice(0, 12), 16)
}

export interface MarkedProcesses {
  marked: Proc[]
  /** Could not be read: they are starting, ending, or belong to another user. */
  unsure: Proc[]
}

/** Returns a function that finds the processes with one of the marks. */
export function createMarkFinder(marks: ProcessMark[]): (procs: Proc[]) => MarkedProcesses {
  // As bytes, in the form in which they are read below.
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
      // A program that is being loaded has no environment for a moment.
      else if (environment === '') found.unsure.push(proc)
    }
    return found
  }
}

/** BSD `ps -E` appends the environment to the command. It separates words by blanks, so this is only a best effort for machines without
 *  /proc. */
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
