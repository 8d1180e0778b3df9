/**
 * Makes a folder a project: a prompt and a plan with what is wanted or the tasks of a source, settings with the gates that were
 * detected, and workflows for GitHub when asked. A user's file is never overwritten, unless by force, and then a copy is kept beside it.
 */
import { join } from 'node:path'
import { driverFor } from '../../agents/registry.ts'
import { BASH_TOOL_MARKERS } from '../../compat/bash/state-files.ts'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import { resolveSettings, type Settings } from '../../config/resolve.ts'
import { RalphError } from '../../core/error.ts'
import { agentNamesOf, NO_SETUP } from '../../core/state/rules.ts'
import type { ProjectProgram } from '../../core/trust/trust.ts'
import type { SourceEnvironment } from '../../sources/task-source.ts'
import { ensureFolder, exists } from '../../system/files/files.ts'
import type { DetectedGate } from '../../workspace/detect/detect.ts'
import type { DetectedSetup } from '../../workspace/detect/detect-setup.ts'
import { gitOrThrow } from '../../workspace/repo/git.ts'
import {
  AGENT_PATH,
  OLD_SETTINGS_FILE,
  PLAN_PATH,
  PROMPT_PATH,
  refuseOldLayout,
  refuseWhileRunning,
  refuseExistingGoal,
  SETTINGS_FILE,
  unmodifiedTemplates,
  writeProjectFile,
  type WrittenFiles,
} from './init-files.ts'
import {
  homeFromEnv,
  missingPrograms,
  suggestNextCommand,
  applyExistingSettings,
  missingInstallCommand,
  installableAgents,
  findSourceFolders,
} from './init-findings.ts'
import { initRemarks, type MissingProgram } from './init-remarks.ts'
import { overrideDetectedProject } from './override-detected.ts'
import { ralphrcText } from './ralphrc-text.ts'
import { detectProjectContext, type GitPresence, type ProjectContext } from './detect-context.ts'
import { fetchTasks, type TaskSourceChoice } from '../import/task-import.ts'
import {
  agentFileText,
  gitignoreText,
  NO_LIMITS,
  planText,
  promptText,
  settingsText,
  goalPlanText,
  GOAL_IN_PLAN_TEXT,
  withStatusBlock,
  type ChosenLimits,
  type ChosenSettings,
} from './templates.ts'
import { openTrustStore } from './trust-store.ts'
import { workflowTexts } from './workflows.ts'

/** Whose project is made: nobody makes new ones of the Rust tool. */
export type NewProjectStyle = Exclude<Settings['made'], 'rust'>

export interface InitOptions {
  root: string
  env: SourceEnvironment
  /** Write the files again; what stood there is kept beside it. */
  force: boolean
  /** What is to be built, in the user's words; null: nobody has said it. */
  wanted: string | null
  tasks: TaskSourceChoice
  /** In place of what the manifest says. */
  name: string | null
  type: string | null
  /** Null: the first agent that is installed. */
  agents: string[] | null
  /** Null: all that were detected and are not slow by their kind. */
  gates: DetectedGate[] | null
  /** False: the clean room takes the tools of the working tree, though there is a command that brings them. */
  setUp: boolean
  limits: ChosenLimits
  /** The agent may do everything without asking; else what is on its list. */
  bypass: boolean
  /** Write the workflows for GitHub as well. */
  github: boolean
  /** Make it a repository first, where it is none. */
  gitInit: boolean
  /** Whose project it becomes: one of ours, or one that the bash tool opens as well. */
  made: NewProjectStyle
}

/** What `ralph init --json` prints. */
export interface InitResult extends WrittenFiles {
  /** Everything was there already; nothing was changed. */
  already: boolean
  project: { name: string; type: string; packageManager: string | null }
  /** Those that hold: of the settings file as it is now. */
  gates: DetectedGate[]
  /** Found and not among them: slow by their kind, or not in a settings file that was there before. */
  offered: DetectedGate[]
  /** Gates whose program is not on this machine. */
  missing: MissingProgram[]
  /** The command that brings the tools into the clean room. */
  setUp: DetectedSetup | null
  /** Folders in which code is work, and the rest judges it; empty: what lies in the top folder. Null: there is no gate. */
  work: string[] | null
  agents: string[]
  /** Agents of the vendors that Ralph knows, and those of them that are on this machine. */
  known: string[]
  installed: string[]
  git: GitPresence['is']
  tasks: { from: string | null; imported: number }
  /** Prompt and plan, where nobody has said yet what is wanted. */
  untouched: string[]
  remarks: string[]
  /** The command to go on with. */
  next: string
}

export function initDefaults(root: string, env: SourceEnvironment): InitOptions {
  return {
    root,
    env,
    force: false,
    wanted: null,
    tasks: { from: 'none' },
    name: null,
    type: null,
    agents: null,
    gates: null,
    setUp: true,
    limits: NO_LIMITS,
    bypass: false,
    github: false,
    gitInit: false,
    made: 'ours',
  }
}

export async function initProject(options: InitOptions): Promise<InitResult> {
  const { root } = options
  if (options.force) await refuseWhileRunning(root, 'init --force')
  else refuseOldLayout(root, options.env)
  const around = await detectProjectContext(root, options.env)
  if (options.wanted !== null && !options.force) refuseExistingGoal(root)
  const project = overrideDetectedProject(around.project, { name: options.name, type: options.type })
  const gates = options.gates ?? around.gates.filter(({ chosen }) => chosen)
  const agents = options.agents ?? [around.agents[0] ?? 'claude']
  const done: InitResult = {
    root,
    already: false,
    project: { name: project.name, type: project.type, packageManager: project.packageManager },
    created: [],
    kept: [],
    copies: [],
    gates,
    offered: around.gates.filter(({ gate }) => gates.every((taken) => taken.gate.run !== gate.run)),
    missing: [],
    // The clean room is there for the gates.
    setUp: options.setUp && gates.length > 0 ? around.setUp : null,
    work: null,
    agents,
    known: installableAgents().map(({ name }) => name),
    installed: around.agents,
    git: around.git.is,
    tasks: { from: null, imported: 0 },
    untouched: [],
    remarks: [],
    next: '',
  }
  const old = BASH_TOOL_MARKERS.filter((name) => exists(join(root, name)))
  const tasks = await tasksFor(done, options, around)
  const wanted = options.wanted ?? (tasks.length > 0 ? GOAL_IN_PLAN_TEXT : null)
  const isOwn = options.wanted !== null && tasks.length === 0
  const prompt = promptText(project.name, wanted)
  const files: [string, string][] = [
    [PROMPT_PATH, options.made === 'bash' ? withStatusBlock(prompt) : prompt],
    [PLAN_PATH, isOwn ? goalPlanText(options.wanted ?? '') : planText(tasks)],
    [AGENT_PATH, agentFileText(project)],
  ]
  const setUp = options.setUp ? done.setUp : NO_SETUP
  const chosen: ChosenSettings = { agents, bypass: options.bypass, limits: options.limits, gates, setUp }
  const settings: Record<NewProjectStyle, [string, string]> = {
    ours: [SETTINGS_FILE, settingsText({ ...chosen, offered: done.offered })],
    bash: [OLD_SETTINGS_FILE, ralphrcText(project, { ...chosen, source: done.tasks.from })],
  }
  // A second settings file beside the one that is there would only confuse.
  const other = options.made === 'ours' ? OLD_SETTINGS_FILE : SETTINGS_FILE
  if (!exists(join(root, other))) files.push(settings[options.made])
  else if (options.made === 'bash')
    done.remarks.push(
      `the settings stay in ${SETTINGS_FILE}; the bash tool, which wants a ${OLD_SETTINGS_FILE}, does not open this project`,
    )
  if (options.made === 'bash') files.push(['.gitignore', gitignoreText()])
  if (options.github) files.push(...workflowTexts({ project, gates, branch: around.branch ?? 'main' }))
  const git = options.gitInit && around.git.is === 'none' ? await makeRepository(root) : around.git
  // What nobody wrote into is no loss: whoever says now what they want gets it written there.
  const replaces = options.wanted === null ? undefined : isUntouchedTemplate
  for (const [name, text] of files) {
    // As the bash tool leaves it: people write keys into it.
    const mode = name === OLD_SETTINGS_FILE ? { mode: 0o600 } : {}
    // What a project ignores is never ours to replace.
    const force = options.force && name !== '.gitignore'
    writeProjectFile(done, { name, text, force, replaces, ...mode })
  }
  if (options.made === 'bash') makeOldFolders(root)
  done.already = done.created.length === 0
  const written = done.created.find((name) => name === SETTINGS_FILE || name === OLD_SETTINGS_FILE)
  if (written !== undefined) await trustOwn(options, written)
  else await applyExistingSettings(done, options, around.gates)
  done.git = git.is
  done.untouched = unmodifiedTemplates(root)
  done.missing = missingPrograms(done, options.env)
  done.work ??= await findSourceFolders(done)
  const packages = missingInstallCommand(root, around.setUp)
  done.remarks.push(...initRemarks({ ...around, ...done, git, known: installableAgents(), old, packages }))
  done.next = suggestNextCommand(done)
  return done
}

/** The old tool's layout; its users' prompts speak of these folders. */
const OLD_FOLDERS = ['specs/stdlib', 'examples', 'logs', 'docs/generated']

function makeOldFolders(root: string): void {
  for (const folder of OLD_FOLDERS) ensureFolder(join(root, '.ralph', folder), 0o755)
}

async function makeRepository(root: string): Promise<GitPresence> {
  ensureFolder(root, 0o755)
  await gitOrThrow({ root }, ['init', '--quiet'], { activity: `make ${root} a repository` })
  return { is: 'empty', top: root }
}

/** What set-up wrote itself, from the user's answers, needs no second question. */
async function trustOwn({ root, env }: InitOptions, file: string): Promise<void> {
  const home = homeFromEnv(env)
  if (home === undefined) return
  const programs = await programsInSettings({ root, env: {}, home })
  const written = programs.filter(({ where }) => where.startsWith(`${file}:`))
  if (written.length > 0) (await openTrustStore({ root, env, home })).remember(written)
}

/** Programs that a loop would start because a file of the project names them; none where the settings cannot be read. */
export async function programsInSettings(at: {
  root: string
  env: SourceEnvironment
  home: string
}): Promise<ProjectProgram[]> {
  try {
    const settings = await resolveSettings({ ...at, flags: {} })
    const rules = settings.rules()
    return settings.executed({ agents: agentNamesOf(rules), gates: rules.gates.map(({ name }) => name) })
  } catch (error) {
    // Set-up has done its part; the loop says what is wrong with them.
    if (error instanceof RalphError) return []
    throw error
  }
}

/** A name that nobody knows is refused before anything is written. */
export function checkAgentNames(names: string[]): string[] {
  for (const name of names) driverFor(name, {})
  return names
}

/** Nothing is asked of a tracker for a plan that stays as it is. */
async function tasksFor(done: InitResult, options: InitOptions, around: ProjectContext) {
  const { from } = options.tasks
  if (from === 'none') return []
  if (exists(join(options.root, PLAN_PATH)) && !options.force) {
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
