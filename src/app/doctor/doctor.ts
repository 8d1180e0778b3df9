/** Checks that the machine and the project have everything a run needs, changes nothing, and says how to fix what is missing. */
import { join } from 'node:path'
import { driverFor } from '../../agents/registry.ts'
import { failureFixesOf, loginCheckText, type Driver, type Environment } from '../../agents/driver.ts'
import { findProject } from '../../config/find-project.ts'
import { resolveSettings, type Settings } from '../../config/resolve.ts'
import { SETTING_KEYS } from '../../config/settings.ts'
import { RalphError } from '../../core/error.ts'
import { readIfExists } from '../../system/files/files.ts'
import { NODE_VERSION } from '../../system/platform.ts'
import { findProgram } from '../../system/process/process.ts'
import { git } from '../../workspace/repo/git.ts'
import { probeAllAgents, type AgentFacts, type ProjectEnv } from './agents.ts'
import { hasTasks } from '../task/has-tasks.ts'
import { gateFindings } from './doctor-gates.ts'
import { storeFindings } from './doctor-store.ts'
import { badFinding, okFinding, warnFinding, type Finding } from './finding.ts'

export interface DoctorContext {
  cwd: string
  home: string
  env: Environment
}

/** What `ralph doctor --json` prints, with `ok`. */
export interface Diagnosis {
  /** The project's folder; null: this folder is no project. */
  root: string | null
  findings: Finding[]
}

export async function diagnose(machine: DoctorContext): Promise<Diagnosis> {
  const project = findProject(machine.cwd, { home: machine.home })
  const [settings, ofSettings] = await settingsFindings(project.root, machine)
  const [ofGit, ofAgents] = await Promise.all([
    gitFindings(project.root),
    settings === null ? [] : agentFindings(settings, { root: project.root, env: machine.env }),
  ])
  const common = [nodeFinding(NODE_VERSION), ...ofGit, ...ofAgents, ...toolFindings(machine.env), ...ofSettings]
  if (project.kind === 'none') {
    const what = `${machine.cwd} is not a Ralph project`
    return { root: null, findings: [...common, warnFinding('project', what, 'Set it up: ralph init')] }
  }
  if (project.kind === 'flat') {
    const what = `${project.root} has the old flat layout (PROMPT.md at the top)`
    const fix = 'Convert it: ralph migrate'
    return { root: project.root, findings: [...common, badFinding('project', what, fix)] }
  }
  const { root } = project
  const ofProject =
    settings === null ? [] : [await promptFinding(root, settings), ...gateFindings(root, settings.gates, machine.env)]
  return { root, findings: [...common, ...ofProject, ...(await storeFindings(root))] }
}

const NODE_FLOOR = '20.19'

function nodeFinding(version: string): Finding {
  if (!isOlder(version, NODE_FLOOR)) return okFinding('node', `Node ${version}`)
  return badFinding(
    'node',
    `Node ${version} is older than ${NODE_FLOOR}`,
    'Install a newer version: https://nodejs.org',
  )
}

/** The oldest git that reads lists of paths from stdin. */
const GIT_FLOOR = '2.26'

async function gitFindings(root: string): Promise<Finding[]> {
  try {
    return await Promise.all([versionFinding(root), identityFinding(root)])
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return [
      warnFinding(
        'git',
        `${error.message}, so Ralph cannot save snapshots or undo changes`,
        error.hint ?? 'Install git',
      ),
    ]
  }
}

async function versionFinding(root: string): Promise<Finding> {
  const { stdout } = await git({ root }, ['--version'])
  const version = /\d+\.\d+(?:\.\d+)?/.exec(stdout)?.[0] ?? '(unknown version)'
  if (!isOlder(version, GIT_FLOOR)) return okFinding('git', `git ${version}`)
  return warnFinding('git', `git ${version} is older than ${GIT_FLOOR}`, 'Update git')
}

async function identityFinding(root: string): Promise<Finding> {
  const [name, email] = await Promise.all(
    ['user.name', 'user.email'].map(async (key) => (await git({ root }, ['config', '--get', key])).stdout.trim()),
  )
  if (name !== '' && email !== '') return okFinding('identity', `commits as ${name} <${email}>`)
  const fix = 'git config --global user.name "Your Name" && git config --global user.email you@example.org'
  return warnFinding('identity', 'git has no user name and e-mail, so agents cannot commit', fix)
}

async function agentFindings(settings: Settings, where: ProjectEnv): Promise<Finding[]> {
  const order = settings.values['agent.order']
  const misnamed = order.flatMap((name) => misnamedFinding(name, settings))
  if (misnamed.length > 0) return misnamed
  const agents = await probeAllAgents(settings, { ...where, check: 'doctor' })
  const installed = agents.filter((agent) => agent.installed).map((agent) => agent.name)
  // `plain` is only a way to call a program; without a command there is nothing to check.
  return agents
    .filter((agent) => agent.program !== '' || agent.chosen !== null)
    .toSorted((a, b) => (a.chosen ?? Infinity) - (b.chosen ?? Infinity))
    .map((agent) => agentFinding(agent, { driver: driverFor(agent.name, settings.agents), installed }))
}

function misnamedFinding(name: string, settings: Settings): Finding[] {
  try {
    driverFor(name, settings.agents)
    return []
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return [badFinding(`agent ${name}`, error.message, error.hint ?? 'See: ralph agents')]
  }
}

function agentFinding(agent: AgentFacts, { driver, installed }: { driver: Driver; installed: string[] }): Finding {
  const about = `agent ${agent.name}`
  // Only the first agent of the order is required; the others take over from it.
  const worse = agent.chosen === 1 ? badFinding : warnFinding
  if (!agent.installed) {
    if (agent.chosen === null) return okFinding(about, 'not installed, and not used by your settings')
    const other =
      installed[0] === undefined ? '' : `. Or use one that is installed: agent = "${installed[0]}" in .ralph.toml`
    const missing = agent.program === '' ? 'it has no command' : `chosen, but ${agent.program} is not on the PATH`
    return worse(about, missing, `${agent.install}${other}`)
  }
  if (agent.unasked === 'own')
    return okFinding(about, `${agent.path ?? agent.program} (your own command; doctor does not start it)`)
  if (agent.unasked === 'inside')
    return warnFinding(
      about,
      `${agent.path ?? agent.program} is inside the repository, so doctor does not start it`,
      'If it should not come from the repository, remove its folder from your PATH',
    )
  const title = `${agent.title} ${agent.version ?? ''}`.trim()
  if (agent.tooOld)
    return warnFinding(
      about,
      `${title} is older than ${agent.minVersion ?? ''}, the oldest known to work`,
      `Update it: ${agent.install}`,
    )
  // Only a warning: with the user's own provider no login at the vendor may be needed.
  if (agent.login === 'no' && agent.chosen !== null)
    return warnFinding(about, `${title} is not logged in`, loginFix(driver))
  if (agent.version === null)
    return warnFinding(
      about,
      `${agent.path ?? agent.program} does not report its version`,
      `Try it: ${agent.program} --version`,
    )
  if (agent.login === 'unknown' && agent.chosen !== null)
    return warnFinding(about, `${title}, login unknown`, loginCheckText(driver))
  return okFinding(about, agent.login === 'yes' ? `${title}, logged in` : `${title}, not used by your settings`)
}

function loginFix(driver: Driver): string {
  return failureFixesOf(driver).authentication?.say ?? loginCheckText(driver)
}

const TOOLS: [program: string, needed: string, where: string][] = [
  ['tmux', 'for --monitor --tmux', 'https://github.com/tmux/tmux'],
  ['gh', 'for GitHub issues', 'https://cli.github.com'],
  ['bd', 'for beads tasks', 'https://github.com/steveyegge/beads'],
]

function toolFindings(env: Environment): Finding[] {
  return TOOLS.map(([program, needed, where]) => {
    const path = findProgram(program, env)
    if (path !== null) return okFinding(program, path)
    return okFinding(program, `not installed (${needed}: ${where})`)
  })
}

async function settingsFindings(root: string, { env, home }: DoctorContext): Promise<[Settings | null, Finding[]]> {
  try {
    const settings = await resolveSettings({ root, flags: {}, env, home })
    const remarks = settings.remarks.map((remark) => warnFinding('settings', remark, 'See: ralph config list'))
    const refused = settings.refused.map(({ where, why, fix }) =>
      badFinding('settings', `${where} is not supported, so Ralph cannot start a run: ${why}`, fix),
    )
    return [settings, [okFinding('settings', settingsOriginText(settings)), ...refused, ...remarks]]
  } catch (error) {
    if (!(error instanceof RalphError)) throw error
    return [null, [badFinding('settings', error.message, error.hint ?? 'See: ralph config list')]]
  }
}

function settingsOriginText(settings: Settings): string {
  const said = SETTING_KEYS.map((key) => settings.origin(key)).filter((origin) => origin.from !== 'default')
  if (said.length === 0) return 'all at default values'
  const places = said.map((origin) => ('file' in origin ? origin.file : 'the environment'))
  return `${said.length} set, in ${[...new Set(places)].join(', ')}`
}

/** A run over tasks needs no prompt. */
async function promptFinding(root: string, settings: Settings): Promise<Finding> {
  const path = settings.values['loop.prompt']
  const text = readIfExists(join(root, path))
  if (text !== null && text.trim() !== '') return okFinding('prompt', path)
  const what = text === null ? `${path} is missing` : `${path} is empty`
  if (await hasTasks(root)) return okFinding('prompt', `${what}; \`ralph loop\` needs it, but \`ralph run\` does not`)
  return badFinding('prompt', what, 'Describe there what the agent should do, or create one: ralph init')
}

/** Compares major and minor; a version that cannot be parsed does not count as old. */
function isOlder(version: string, floor: string): boolean {
  const [major = NaN, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = floor.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
