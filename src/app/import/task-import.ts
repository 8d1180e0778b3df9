/** Fetches tasks from the chosen source. A named source that cannot answer is an error; a guessed one is only a remark. */
import { join } from 'node:path'
import { assertNever } from '../../core/assert-never.ts'
import { messageOf, RalphError } from '../../core/error.ts'
import { fetchBeadsTasks } from '../../sources/beads.ts'
import { fetchGithubTasks } from '../../sources/github.ts'
import { readPrdTasks } from '../../sources/prd.ts'
import type { SourceEnvironment, FetchedTasks, SourceName } from '../../sources/task-source.ts'
import { DEFAULT_TASK_LIMIT } from '../../sources/task-source.ts'
import { exists } from '../../system/files/files.ts'
import type { ProjectContext } from '../project/detect-context.ts'

export type TaskSourceChoice =
  | { from: 'none' }
  /** The first source that exists here and answers: beads, GitHub, a document. */
  | { from: 'auto'; label: string | null; limit: number }
  | { from: 'beads'; limit: number }
  | { from: 'github'; label: string | null; limit: number }
  /** Null: the first document that looks like requirements. */
  | { from: 'prd'; file: string | null; limit: number }

/** The label of issues meant for Ralph, as in the bash tool. */
export const TASK_LABEL = 'ralph-task'

interface ProjectAt {
  root: string
  env: SourceEnvironment
}

/** Null: there is no source to ask. */
export async function fetchTasks(
  { root, env, tasks: wanted }: ProjectAt & { tasks: TaskSourceChoice },
  around: ProjectContext,
): Promise<FetchedTasks | null> {
  switch (wanted.from) {
    case 'none':
      return null
    case 'auto':
      return firstThatAnswers({ root, env }, wanted, around)
    case 'beads':
      return fetchBeadsTasks({ root, env, status: 'open', limit: wanted.limit })
    case 'github':
      return fetchGithubTasks({ root, env, repo: null }, wanted)
    case 'prd':
      return readPrdTasks({ root, file: wanted.file ?? firstPrd(root, around), limit: wanted.limit })
    default:
      return assertNever(wanted)
  }
}

/** The named document if it does not exist; null: all is well. */
export function missingPrdFile(root: string, wanted: TaskSourceChoice): string | null {
  if (wanted.from !== 'prd' || wanted.file === null || exists(join(root, wanted.file))) return null
  return wanted.file
}

function firstPrd(root: string, { prds }: ProjectContext): string {
  const [first] = prds
  if (first !== undefined) return first
  throw new RalphError('not-found', `no requirements document was found in ${root}`, { hint: 'Pass it: --prd FILE' })
}

async function firstThatAnswers(
  location: ProjectAt,
  wanted: { label: string | null; limit: number },
  around: ProjectContext,
): Promise<FetchedTasks | null> {
  const remarks: string[] = []
  for (const tasks of sourcesHere(around, wanted)) {
    try {
      const fetched = await fetchTasks({ ...location, tasks }, around)
      if (fetched !== null) return { ...fetched, remarks: [...remarks, ...fetched.remarks] }
    } catch (error) {
      if (!(error instanceof RalphError)) throw error
      remarks.push(messageOf(error))
    }
  }
  return remarks.length === 0 ? null : { tasks: [], from: 'nothing', remarks }
}

function sourcesHere(
  around: ProjectContext,
  { label, limit }: { label: string | null; limit: number },
): TaskSourceChoice[] {
  return [
    ...(around.beads ? [{ from: 'beads' as const, limit }] : []),
    ...(around.gh ? [{ from: 'github' as const, label, limit }] : []),
    ...(around.prds.length > 0 ? [{ from: 'prd' as const, file: null, limit }] : []),
  ]
}

/** Parses a source as people name it on a command line. */
export function parseTaskSource(said: {
  from: string | null
  prd: string | null
  label: string | null
  limit: string | null
}): TaskSourceChoice {
  const limit = readLimit(said.limit)
  const from = said.from ?? (said.prd === null ? 'none' : 'prd')
  if (said.prd !== null && from !== 'prd') throw new RalphError('usage', `--prd cannot be used with --from ${from}`)
  switch (from as SourceName | 'none' | 'auto') {
    case 'none':
      return { from: 'none' }
    case 'auto':
      return { from: 'auto', label: said.label, limit }
    case 'beads':
      return { from: 'beads', limit }
    case 'github':
      return { from: 'github', label: said.label, limit }
    case 'prd':
      return { from: 'prd', file: said.prd, limit }
    default:
      throw new RalphError('usage', `unknown source "${from}"`, { hint: 'Known: beads, github, prd, none' })
  }
}

function readLimit(said: string | null): number {
  if (said === null) return DEFAULT_TASK_LIMIT
  if (/^\d{1,6}$/.test(said)) return Number(said)
  throw new RalphError('usage', `--limit needs a whole number, not "${said}"`, { hint: '0 means no limit.' })
}
