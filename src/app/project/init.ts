/**
 * Makes a folder a project: a prompt and a plan with the user's goal or the tasks of a source, settings with the detected gates, and
 * workflows for GitHub when requested. A user's file is overwritten only with `--force`, and then a copy is kept beside it.
 */
import { join } from 'node:path'
import { driverFor } from '../../agents/registry.ts'
import { BASH_TOOL_MARKERS } from '../../compat/bash/state-files.ts'
import { isUntouchedTemplate } from '../../core/plan/untouched-template.ts'
import { resolveSettings, type Settings } from '../../config/resolve.ts'
import { settingsSchema } from '../../config/schema.ts'
import { RalphError } from '../../core/error.ts'
import { agentNamesOf, NO_SETUP } from '../../core/state/rules.ts'
import type { ProjectProgram } from '../../core/trust/trust.ts'
import type { SourceEnvironment } from '../../sources/task-source.ts'
import { ensureFolder, exists } from '../../system/files/files.ts'
import type { ProposedGate } from '../../workspace/detect/detect-project.ts'
import type { DetectedSetup } from '../../workspace/detect/detect-setup.ts'
import { gitOrThrow } from '../../workspace/repo/git.ts'
import {
  AGENT_NOTES_PATH,
  OLD_SETTINGS_FILE,
  PLAN_PATH,
  PROMPT_PATH,
  refuseOldLayout,
  refuseTopFolder,
  refuseWhileRunning,
  refuseExistingGoal,
  SCHEMA_FILE,
  SETTINGS_FILE,
  unmodifiedTemplates,
  writeProjectFile,
  type WrittenFiles,
} from './init-files.ts'
import {
  homeFromEnv,
  missingPrograms,
  suggestNextCommand,
  fillResultFromSettings,
  packageInstallCommand,
  installableAgents,
  findSourceFolders,
} from './init-findings.ts'
import { initRemarks, type MissingProgram } from './init-remarks.ts'
import { overrideDetectedProject } from './override-detected.ts'
import { ralphrcText } from './ralphrc-text.ts'
import { detectProjectContext, type GitPresence, type ProjectContext } from './detect-context.ts'
import { fetchTasks, type TaskSourceChoice } from '../import/task-import.ts'
import {
  agentNotesText,
  gitignoreText,
  NO_LIMITS,
  planText,
  promptText,
  settingsText,
  goalPlanText,
  GOAL_IN_PLAN_TEXT,
  addStatusBlock,
  type ChosenLimits,
  type ChosenSettings,
} from './templates.ts'
import { openTrustStore } from './trust-store.ts'
import { githubWorkflowTexts } from './github-workflows.ts'

/** The style of a new project; there are no new ones of the Rust tool. */
export type NewProjectStyle = Exclude<Settings['made'], 'rust'>

export interface InitOptions {
  root: string
  env: SourceEnvironment
  /** Write the files again and keep a copy of the old ones. */
  force: boolean
  /** What is to be built, in the user's words; null: not given. */
  wanted: string | null
  tasks: TaskSourceChoice
  /** Overrides the name from the manifest. */
  name: string | null
  type: string | null
  /** Null: the first agent that is installed. */
  agents: string[] | null
  /** Null: all detected gates except kinds that are slow. */
  gates: ProposedGate[] | null
  /** False: the clean room uses the tools of the working tree, even if a command could install them. */
  setUp: boolean
  limits: ChosenLimits
  /** The agent may do everything without asking; otherwise only what is on its list. */
  bypass: boolean
  /** Whether the agent may push; null: nobody was asked. */
  mayPush: boolean | null
  /** Also write the workflows for GitHub. */
  github: boolean
  /** Create a repository first, if there is none. */
  gitInit: boolean
  /** The style of the project: Ralph's own, or one that the bash tool can use as well. */
  made: NewProjectStyle
}

/** What `ralph init --json` prints. */
export interface InitResult extends WrittenFiles {
  /** Everything existed already; nothing was changed. */
  already: boolean
  project: { name: string; type: string; packageManager: string | null }
  /** The gates in the settings file as it is now. */
  gates: ProposedGate[]
  /** Detected but not configured: slow kinds, or missing in a settings file that existed before. */
  offered: ProposedGate[]
  /** Gates whose program is not installed. */
  missing: MissingProgram[]
  /** The command that installs the tools in the clean room. */
  setUp: DetectedSetup | null
  /** Folders with source files; everything else is protected. Empty: the top folder. Null: there is no gate. */
  work: string[] | null
  agents: string[]
  /** Agents that Ralph knows, and those of them that are installed. */
  known: string[]
  installed: string[]
  git: GitPresence['is']
  tasks: { from: string | null; imported: number }
  /** Prompt and plan that do not contain a goal yet. */
  untouched: string[]
  remarks: string[]
  /** The next command to type. */
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
    mayPush: null,
    github: false,
    gitInit: false,
    made: 'ours',
  }
}

export async function initProject(options: InitOptions): Promise<InitResult> {
  const { root } = options
  refuseTopFolder(root)
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
    // Only gates use the clean room.
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
    [PROMPT_PATH, options.made === 'bash' ? addStatusBlock(prompt) : prompt],
    [PLAN_PATH, isOwn ? goalPlanText(options.wanted ?? '') : planText(tasks)],
    [AGENT_NOTES_PATH, agentNotesText(project)],
  ]
  const setUp = options.setUp ? done.setUp : NO_SETUP
  const { bypass, mayPush, limits } = options
  const chosen: ChosenSettings = { agents, bypass, mayPush, limits, gates, setUp }
  const settings: Record<NewProjectStyle, [string, string][]> = {
    ours: [
      [SETTINGS_FILE, settingsText({ ...chosen, offered: done.offered })],
      [SCHEMA_FILE, `${JSON.stringify(settingsSchema())}\n`],
    ],
    bash: [
      [OLD_SETTINGS_FILE, ralphrcText(project, { ...chosen, source: done.tasks.from })],
      ['.gitignore', gitignoreText()],
    ],
  }
  // A second settings file beside the existing one would only confuse.
  const other = options.made === 'ours' ? OLD_SETTINGS_FILE : SETTINGS_FILE
  if (!exists(join(root, other))) files.push(...settings[options.made])
  else if (options.made === 'bash') {
    files.push(['.gitignore', gitignoreText()])
    done.remarks.push(
      `the settings stay in ${SETTINGS_FILE}; bash Ralph cannot open this project, because it needs a ${OLD_SETTINGS_FILE}`,
    )
  }
  if (options.github) files.push(...githubWorkflowTexts({ project, gates, branch: around.branch ?? 'main' }))
  const git = options.gitInit && around.git.is === 'none' ? await makeRepository(root) : around.git
  // A new goal may replace a prompt or plan that is still the template.
  const replaces = options.wanted === null ? undefined : isUntouchedTemplate
  for (const [name, text] of files) {
    // Private as in the bash tool, because people put API keys in it.
    const mode = name === OLD_SETTINGS_FILE ? { mode: 0o600 } : {}
    // The project's `.gitignore` is never replaced.
    const force = options.force && name !== '.gitignore'
    writeProjectFile(done, { name, text, force, replaces, ...mode })
  }
  if (options.made === 'bash') makeOldFolders(root)
  done.already = done.created.length === 0
  const written = done.created.find((name) => name === SETTINGS_FILE || name === OLD_SETTINGS_FILE)
  if (written !== undefined) await trustWrittenSettings(options, written)
  else await fillResultFromSettings(done, options, around.gates)
  done.git = git.is
  done.untouched = unmodifiedTemplates(root)
  done.missing = missingPrograms(done, options.env)
  done.work ??= await findSourceFolders(done)
  const packages = packageInstallCommand(root, around.setUp)
  done.remarks.push(...initRemarks({ ...around, ...done, git, known: installableAgents(), old, packages }))
  done.next = suggestNextCommand(done)
  return done
}

/** The bash tool's layout; prompts of its users mention these folders. */
const OLD_FOLDERS = ['specs/stdlib', 'examples', 'logs', 'docs/generated']

function makeOldFolders(root: string): void {
  for (const folder of OLD_FOLDERS) ensureFolder(join(root, '.ralph', folder), 0o755)
}

async function makeRepository(root: string): Promise<GitPresence> {
  ensureFolder(root, 0o755)
  await gitOrThrow({ root }, ['init', '--quiet'], { activity: `make ${root} a repository` })
  return { is: 'empty', top: root }
}

/** A file that `init` wrote from the user's answers needs no second confirmation. */
async function trustWrittenSettings({ root, env }: InitOptions, file: string): Promise<void> {
  const home = homeFromEnv(env)
  if (home === undefined) return
  const programs = await programsInSettings({ root, env: {}, home })
  const written = programs.filter(({ where }) => where.startsWith(`${file}:`))
  if (written.length > 0) (await openTrustStore({ root, env, home })).remember(written)
}

/** Programs that a loop would start because a file of the project names them; none if the settings cannot be read. */
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
    // `init` has finished; the loop reports what is wrong with the settings.
    if (error instanceof RalphError) return []
    throw error
  }
}

/** Refuses an unknown name before anything is written. */
export function checkAgentNames(names: string[]): string[] {
  for (const name of names) driverFor(name, {})
  return names
}

/** No tracker is asked if the plan stays as it is. */
async function tasksFor(done: InitResult, options: InitOptions, around: ProjectContext) {
  const { from } = options.tasks
  if (from === 'none') return []
  if (exists(join(options.root, PLAN_PATH)) && !options.force) {
    done.remarks.push(
      'the project already has a plan, so no task was imported (--force writes a new one and keeps yours as a copy)',
    )
    return []
  }
  const fetched = await fetchTasks(options, around)
  if (fetched === null) return []
  done.remarks.push(...fetched.remarks)
  done.tasks = { from: fetched.from, imported: fetched.tasks.length }
  return fetched.tasks
}
