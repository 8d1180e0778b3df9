/** The project files that `init` writes, and when it leaves them alone. */
import { dirname, join, relative } from 'node:path'
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
export const AGENT_NOTES_PATH = '.ralph/AGENT.md'
export const SETTINGS_FILE = '.ralph.toml'
/** The settings file names it in its first line, so editors complete and check the settings. */
export const SCHEMA_FILE = '.ralph/ralph.schema.json'
/** The bash tool's settings file. */
export const OLD_SETTINGS_FILE = '.ralphrc'

/** Which files were created, kept and copied, by their names in the project. */
export interface WrittenFiles {
  root: string
  created: string[]
  kept: string[]
  /** Copies of files that `--force` replaced. */
  copies: string[]
}

interface OwnFile {
  name: string
  text: string
  force: boolean
  /** Whether a text may be replaced without `--force` and without a copy. */
  replaces?: ((text: string) => boolean) | undefined
  /** File permissions, if not readable by everybody. */
  mode?: number
}

/** Writes a file to a project and records whether it was created, kept or copied. */
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

/** All files that a loop reads exist. */
export function hasLoopFiles(root: string): boolean {
  return [PROMPT_PATH, PLAN_PATH, AGENT_NOTES_PATH].every((name) => exists(join(root, name)))
}

/** A goal may still be given: the prompt or the plan is missing or still the template. */
export function needsGoal(root: string): boolean {
  return [PROMPT_PATH, PLAN_PATH].some((name) => isUntouchedTemplate(readIfExists(join(root, name)) ?? BLANK))
}

/** A missing file counts as the template that will be written. */
const BLANK = planText([])

/** Prompt and plan that still have the text that Ralph wrote. */
export function unmodifiedTemplates(root: string): string[] {
  return [PROMPT_PATH, PLAN_PATH].filter((name) => isUntouchedTemplate(readIfExists(join(root, name)) ?? ''))
}

/** A goal from the command line never replaces a prompt or plan that a person wrote. */
export function refuseExistingGoal(root: string): void {
  const texts = [PROMPT_PATH, PLAN_PATH].map((name) => readIfExists(join(root, name)))
  if (texts.some((text) => text === null || isUntouchedTemplate(text))) return
  throw new RalphError('usage', 'the project already has a prompt and a plan, so --task would change nothing', {
    hint: `Add it there: ${PROMPT_PATH} and ${PLAN_PATH}. To start over (Ralph keeps your files as copies): ralph init --force --task "…"`,
  })
}

/** Every folder of the machine would belong to this project. */
export function refuseTopFolder(root: string): void {
  if (dirname(root) !== root) return
  throw new RalphError('usage', `${root} is the top of the file system, not a project`, {
    hint: 'Change to the folder of your project first: cd your-repo && ralph init',
  })
}

/** Old and new files beside each other would leave it unclear which of them count. */
export function refuseOldLayout(root: string, env: SourceEnvironment): void {
  const found = findProject(root, { home: env['HOME'] ?? env['USERPROFILE'] ?? '/' })
  if (found.kind !== 'flat' || found.root !== root) return
  throw new RalphError('usage', `${root} has the old flat layout (PROMPT.md at the top)`, {
    hint: 'Move it into .ralph/: ralph migrate. To start over: ralph init --force',
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
