/**
 * Makes a folder a project: a prompt, a plan with the tasks of a source, settings with the gates that were detected, and
 * workflows for GitHub when asked. A user's file is never overwritten, unless by force, and then a copy is kept beside it.
 */
import { join, relative } from 'node:path'
import { driverFor } from '../agents/registry.ts'
import { findProject } from '../config/paths.ts'
import { resolveSettings } from '../config/resolve.ts'
import { RalphError } from '../domain/error.ts'
import { agentsOf, NO_SET_UP } from '../domain/rules.ts'
import type { Executed } from '../domain/trust.ts'
import type { Environment } from '../sources/source.ts'
import { ensureFolder, exists, readIfThere, writeAtomic } from '../system/files.ts'
import { copyAside } from '../system/folders.ts'
import type { DetectedGate } from '../workspace/detect.ts'
import type { DetectedSetUp } from '../workspace/detect-set-up.ts'
import { describeAs } from './project-type.ts'
import { liveRun } from './steer.ts'
import { lookAround, type Surroundings } from './surroundings.ts'
import { fetchTasks, type TasksWanted } from './task-import.ts'
import { agentText, NO_LIMITS, planText, promptText, settingsText, type ChosenLimits } from './templates.ts'
import { openTrust } from './trust.ts'
import { workflowTexts } from './workflows.ts'

export interface InitOptions {
  root: string
  env: Environment
  /** Write the files again; what stood there is kept beside it. */
  force: boolean
  tasks: TasksWanted
  /** In place of what the manifest says. */
  name: string | null
  type: string | null
  /** Null: the first agent that is installed. */
  agents: string[] | null
  /** Null: all that were detected. */
  gates: DetectedGate[] | null
  /** False: the clean room takes the tools of the working tree, though there is a command that brings them. */
  setUp: boolean
  limits: ChosenLimits
  /** Write the workflows for GitHub as well. */
  github: boolean
}

/** What `ralph init --json` prints. */
export interface Initialised {
  root: string
  /** Everything was there already; nothing was changed. */
  already: boolean
  project: { name: string; type: string; packageManager: string | null }
  created: string[]
  kept: string[]
  /** Copies of files that `force` replaced. */
  copies: string[]
  gates: DetectedGate[]
  /** The command that brings the tools into the clean room. */
  setUp: DetectedSetUp | null
  agents: string[]
  tasks: { from: string | null; imported: number }
  remarks: string[]
}

export function initDefaults(root: string, env: Environment): InitOptions {
  return {
    root,
    env,
    force: false,
    tasks: { from: 'none' },
    name: null,
    type: null,
    agents: null,
    gates: null,
    setUp: true,
    limits: NO_LIMITS,
    github: false,
  }
}

export async function initProject(options: InitOptions): Promise<Initialised> {
  const { root } = options
  if (options.force) await refuseWhileRunning(root, 'init --force')
  else refuseFlat(root, options.env)
  const around = await lookAround(root, options.env)
  const project = describeAs(around.project, { name: options.name, type: options.type })
  const gates = options.gates ?? around.gates
  const agents = options.agents ?? [around.agents[0] ?? 'claude']
  const done: Initialised = {
    root,
    already: false,
    project: { name: project.name, type: project.type, packageManager: project.packageManager },
    created: [],
    kept: [],
    copies: [],
    gates,
    // The room is there for the gates.
    setUp: options.setUp && gates.length > 0 ? around.setUp : null,
    agents,
    tasks: { from: null, imported: 0 },
    remarks: [],
  }
  const tasks = await tasksFor(done, options, around)
  const files: [string, string][] = [
    ['.ralph/PROMPT.md', promptText(project.name)],
    ['.ralph/fix_plan.md', planText(tasks)],
    ['.ralph/AGENT.md', agentText(project)],
  ]
  // A project of an older tool keeps its own settings file; a second one beside it would only confuse.
  if (!exists(join(root, '.ralphrc'))) {
    const setUp = options.setUp ? done.setUp : NO_SET_UP
    files.push([SETTINGS_FILE, settingsText({ agents, limits: options.limits, gates, setUp })])
  }
  if (options.github) files.push(...workflowTexts({ project, gates, branch: around.branch ?? 'main' }))
  for (const [name, text] of files) writeOne(done, { name, text, force: options.force })
  done.already = done.created.length === 0
  if (done.created.includes(SETTINGS_FILE)) await trustOwn(options)
  return done
}

const SETTINGS_FILE = '.ralph.toml'

/** What set-up wrote itself, from the user's answers, needs no second question. */
async function trustOwn({ root, env }: InitOptions): Promise<void> {
  const home = env['HOME'] ?? env['USERPROFILE']
  if (home === undefined) return
  const programs = await programsNamed({ root, env: {}, home })
  const written = programs.filter(({ where }) => where.startsWith(`${SETTINGS_FILE}:`))
  if (written.length > 0) (await openTrust({ root, env, home })).remember(written)
}

/** Programs that a loop would start because a file of the project names them; none where the settings cannot be read. */
export async function programsNamed(at: {
  root: string
  env: Environment
  home: string
}): Promise<Executed[]> {
  try {
    const settings = await resolveSettings({ ...at, flags: {} })
    const rules = settings.rules()
    return settings.executed({ agents: agentsOf(rules), gates: rules.gates.map(({ name }) => name) })
  } catch (error) {
    // Set-up has done its part; the loop says what is wrong with them.
    if (error instanceof RalphError) return []
    throw error
  }
}

/** A name that nobody knows is refused before anything is written. */
export function checkAgents(names: string[]): string[] {
  for (const name of names) driverFor(name, {})
  return names
}

const CONTROL_FILES = ['.ralph/PROMPT.md', '.ralph/fix_plan.md', '.ralph/AGENT.md']

/** All that a loop reads is there. */
export function isProject(root: string): boolean {
  return CONTROL_FILES.every((name) => exists(join(root, name)))
}

/** The old files would lie beside the new ones, and nobody would know which hold. */
export function refuseFlat(root: string, env: Environment): void {
  const found = findProject(root, { home: env['HOME'] ?? env['USERPROFILE'] ?? '/' })
  if (found.kind !== 'flat' || found.root !== root) return
  throw new RalphError('usage', `${root} has the old flat layout (PROMPT.md at the top)`, {
    hint: 'Move it into .ralph/: ralph migrate. To begin anew beside it: ralph init --force',
  })
}

/** A run reads these files between its iterations. */
export async function refuseWhileRunning(root: string, command: string): Promise<void> {
  if (!exists(root)) return
  const live = await liveRun(root)
  if (live === null) return
  const who = `run ${live.run} is working here (process ${live.holder.pid})`
  throw new RalphError('held', `${who}, and ralph ${command} would change its files`, {
    hint: 'Stop it first: ralph stop',
  })
}

/** Nothing is asked of a tracker for a plan that stays as it is. */
async function tasksFor(done: Initialised, options: InitOptions, around: Surroundings) {
  const { from } = options.tasks
  if (from === 'none') return []
  if (exists(join(options.root, '.ralph/fix_plan.md')) && !options.force) {
    done.remarks.push(
      'the plan is there already, so no task was imported (--force writes a new one and keeps yours beside it)',
    )
    return []
  }
  const fetched = await fetchTasks(options, around)
  if (fetched === null) return []
  done.remarks.push(...fetched.remarks)
  done.tasks = { from: fetched.from, imported: fetched.tasks.length }
  return fetched.tasks
}

export type Written = Pick<Initialised, 'root' | 'created' | 'kept' | 'copies'>

/** Writes a file of ours into a project and notes what became of it. */
export function writeOne(done: Written, file: { name: string; text: string; force: boolean }): void {
  const path = join(done.root, file.name)
  if (exists(path)) {
    if (!file.force || readIfThere(path) === file.text) return void done.kept.push(file.name)
    done.copies.push(relative(done.root, copyAside(path)))
  }
  ensureFolder(join(path, '..'), 0o755)
  writeAtomic(path, file.text, { mode: 0o644 })
  done.created.push(file.name)
}
