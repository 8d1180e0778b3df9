/**
 * Finds living processes of a program that work inside a folder and may hold a lock there. Linux shows each one's folder in /proc.
 * Elsewhere only names are known, so any process of that name on the machine counts: it is better to wait for an unrelated process than
 * to take a lock from its owner.
 */
import { listPids, findProcess, runPs, isCwdInFolder, commandLineOf } from './process-table.ts'

export interface ProcessInFolder {
  pid: number
  /** Its command line. */
  command: string
}

/** `but` excludes processes by their command line. */
export function processesInFolder(folders: string[], program: string, but: RegExp): ProcessInFolder[] {
  if (process.platform === 'win32') return []
  return process.platform === 'linux' ? byProc(folders, program, but) : byPs(program, but)
}

function byProc(folders: string[], program: string, but: RegExp): ProcessInFolder[] {
  return (listPids() ?? [])
    .map((pid) => ({ pid, words: commandLineOf(pid) }))
    .filter((one) => isProgram(one.words, program) && !but.test(one.words.join(' ')) && touches(one, folders))
    .map(({ pid, words }) => ({ pid, command: words.join(' ').slice(0, COMMAND_MAX) }))
    .filter(({ pid }) => findProcess(pid)?.zombie === false)
}

const COMMAND_MAX = 200

interface Command {
  pid: number
  words: string[]
}

/** `git`, `/usr/lib/git-core/git`, and its own children: `git-commit`, `git-remote-https`. */
function isProgram(words: string[], program: string): boolean {
  const first = words[0] ?? ''
  const name = first.slice(first.lastIndexOf('/') + 1)
  return name === program || name.startsWith(`${program}-`)
}

/** Whether it works in one of the folders or names one in its arguments. */
function touches({ pid, words }: Command, folders: string[]): boolean {
  return folders.some((folder) => isCwdInFolder(pid, folder) || words.some((word) => word.includes(folder)))
}

function byPs(program: string, but: RegExp): ProcessInFolder[] {
  return runPs(['-A', '-ww', '-o', 'pid=,command=']).flatMap((line) => {
    const [pid = '', ...words] = line.trim().split(/\s+/)
    return isProgram(words, program) && !but.test(line)
      ? [{ pid: Number(pid), command: words.join(' ').slice(0, COMMAND_MAX) }]
      : []
  })
}
