/** The files of a project that set-up writes, and when it leaves them alone. */
import { join, relative } from 'node:path'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import { findProject } from '../../config/find-project.ts'
import { RalphError } from '../../core/error.ts'
import type { SourceEnvironment } from '../../sources/task-source.ts'
import { ensureFolder, exists, readIfExists, writeAtomic } from '../../system/files/files.ts'
import { copyToBackupName } from '../../system/files/copy-move.ts'
import { findLiveRun } from '../steer/engine-requests.ts'
import { planText } from './templates.ts'

export const PROMPT_PATH = '.ralph/PROMPT.md'
export const PLAN_PATH = '.ralph/fix_plan.md'
export const AGENT_PATH = '.ralph/AGENT.md'
export const SETTINGS_FILE = '.ralph.toml'
/** The bash tool's. */
export const OLD_SETTINGS_FILE = '.ralphrc'

/** What became of the files, by their names in the project. */
export interface WrittenFiles {
  root: string
  created: string[]
  kept: string[]
  /** Copies of files that were replaced by force. */
  copies: string[]
}

interface OwnFile {
  name: string
  text: string
  force: boolean
  /** A text that nobody misses: it is replaced without force, and no copy is kept. */
  replaces?: ((text: string) => boolean) | undefined
  /** Who may read it, where that is not everybody. */
  mode?: number
}

/** Writes a file of ours into a project and notes what became of it. */
export function writeProjectFile(done: WrittenFiles, { name, text, force, replaces, mode = 0o644 }: OwnFile): void {
  const path = join(done.root, name)
  if (exists(path) && !(replaces?.(readIfExists(path) ?? '') ?? false)) {
    if (!force || readIfExists(path) === text) return void done.kept.push(name)
    done.copies.push(relative(done.root, copyToBackupName(path)))
  }
  ensureFolder(join(path, '..'), 0o755)
  writeAtomic(path, text, { mode })
  done.created.push(name)
}

/** All that a loop reads is there. */
export function isProject(root: string): boolean {
  return [PROMPT_PATH, PLAN_PATH, AGENT_PATH].every((name) => exists(join(root, name)))
}

/** Somebody may still say what is wanted: prompt or plan is not there, or nobody has written into it. */
export function needsGoal(root: string): boolean {
  return [PROMPT_PATH, PLAN_PATH].some((name) => isUntouchedTemplate(readIfExists(join(root, name)) ?? BLANK))
}

/** What is not there yet will be the template. */
const BLANK = planText([])

/** Prompt and plan that are still as Ralph wrote them. */
export function unmodifiedTemplates(root: string): string[] {
  return [PROMPT_PATH, PLAN_PATH].filter((name) => isUntouchedTemplate(readIfExists(join(root, name)) ?? ''))
}

/** Prompt and plan that a person wrote: nothing that is said on a command line replaces them. */
export function refuseExistingGoal(root: string): void {
  const texts = [PROMPT_PATH, PLAN_PATH].map((name) => readIfExists(join(root, name)))
  if (texts.some((text) => text === null || isUntouchedTemplate(text))) return
  throw new RalphError('usage', 'the prompt and the plan are written already, so --task would change nothing', {
    hint: `Add it there: ${PROMPT_PATH} and ${PLAN_PATH}. To begin anew and keep yours beside it: ralph init --force --task "…"`,
  })
}

/** The old files would lie beside the new ones, and nobody would know which hold. */
export function refuseOldLayout(root: string, env: SourceEnvironment): void {
  const found = findProject(root, { home: env['HOME'] ?? env['USERPROFILE'] ?? '/' })
  if (found.kind !== 'flat' || found.root !== root) return
  throw new RalphError('usage', `${root} has the old flat layout (PROMPT.md at the top)`, {
    hint: 'Move it into .ralph/: ralph migrate. To begin anew beside it: ralph init --force',
  })
}

/** A run reads these files between its iterations. */
export async function refuseWhileRunning(root: string, command: string): Promise<void> {
  if (!exists(root)) return
  const live = await findLiveRun(root)
  if (live === null) return
  const who = `run ${live.run} is working here (process ${live.lockOwner.pid})`
  throw new RalphError('held', `${who}, and ralph ${command} would change its files`, {
    hint: 'Stop it first: ralph stop',
  })
}
