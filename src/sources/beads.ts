/** Tasks from beads: from `bd` if it is installed, else from the file in which beads keeps its issues in git. */
import { join } from 'node:path'
import { parseBeadsJson, parseBeadsText, type BeadsTasks, type BeadsStatusFilter } from '../compat/beads.ts'
import { RalphError } from '../core/error.ts'
import { oneLine } from '../core/text/sanitize.ts'
import { exists, listFolder, readText } from '../system/files/files.ts'
import { buildHelperEnv } from '../system/environment.ts'
import { runProgram, findProgram } from '../system/process/process.ts'
import { limitTasks, type SourceEnvironment, type FetchedTasks } from './task-source.ts'

export interface BeadsOptions {
  root: string
  env: SourceEnvironment
  status: BeadsStatusFilter
  /** 0: all. */
  limit: number
}

/** `bd` may have to start its daemon first. */
const BD_MS = 30_000

export function hasBeads(root: string): boolean {
  return exists(join(root, '.beads'))
}

export async function fetchBeadsTasks(options: BeadsOptions): Promise<FetchedTasks> {
  const { root, env, status, limit } = options
  if (!hasBeads(root)) {
    throw new RalphError('not-found', `${root} has no .beads folder`, { hint: 'Set up beads first: bd init' })
  }
  const bd = findProgram('bd', env)
  const asked = bd === null ? 'bd is not installed' : await askBd(bd, options)
  if (typeof asked !== 'string') return limitTasks({ ...asked, from: 'bd' }, limit)
  const file = issuesFile(root)
  if (file === null) {
    throw new RalphError('not-found', `cannot read tasks from beads: ${asked}, and .beads has no JSONL file`, {
      hint: 'Install bd, or export the tasks with it: bd export -o .beads/issues.jsonl',
    })
  }
  const { tasks, remarks } = parseBeadsJson(readText(join(root, file)), { status })
  return limitTasks(
    { tasks, from: file, remarks: [`${asked}, so Ralph read the tasks from ${file}`, ...remarks] },
    limit,
  )
}

/** The answer of `bd`, or why there is none. An old `bd` has no `--json` and prints a list for people. */
async function askBd(bd: string, { root, status, limit }: BeadsOptions): Promise<BeadsTasks | string> {
  const which = status === 'all' ? ['--all'] : ['--status', status]
  const args = ['list', ...which, '--limit', String(limit)]
  const env = buildHelperEnv({ pass: ['BD_*', 'BEADS_*'], add: {} })
  const json = await runProgram([bd, ...args, '--json'], { cwd: root, env, timeoutMs: BD_MS })
  if (json.code === 0) return parseBeadsJson(json.stdout, { status })
  const plain = await runProgram([bd, 'list', ...which], { cwd: root, env, timeoutMs: BD_MS })
  if (plain.code === 0) return parseBeadsText(plain.stdout)
  return `bd failed (${oneLine(json.stderr, 200) || `exit ${json.code ?? 'by a signal'}`})`
}

function issuesFile(root: string): string | null {
  const files = listFolder(join(root, '.beads')).filter((name) => name.endsWith('.jsonl'))
  const name = ['issues.jsonl', 'beads.jsonl'].find((usual) => files.includes(usual)) ?? files[0]
  return name === undefined ? null : `.beads/${name}`
}
