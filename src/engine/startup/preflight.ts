/** Checks before the first call, without paying for one: collects what a person should know, and refuses what cannot run. */
import { resolve } from 'node:path'
import { fetchLatestAgentVersion } from '../../agents/latest-agent-version.ts'
import {
  driverForFormat,
  failureFixesOf,
  toolPermissionsOf,
  type Driver,
  type AgentAccess,
} from '../../agents/driver.ts'
import {
  driverFor,
  isOlderVersion,
  probeAgent,
  envReceiversOf,
  type ProbePolicy,
  type AgentProbeResult,
} from '../../agents/registry.ts'
import { fileLocation } from '../../config/origin.ts'
import { allAgentNames, type Settings } from '../../config/resolve.ts'
import { tierModelsOf } from '../../core/models/model-strategy.ts'
import type { TaskCounts } from '../../core/tasks/task.ts'
import type { DraftRequest } from '../../core/features/draft.ts'
import { withheldVariables, type EnvPolicy } from '../../core/trust/environment.ts'
import { RalphError } from '../../core/error.ts'
import type { RunKind } from '../../core/state/run-kind.ts'
import { hasGates } from '../../core/presentation/outcome-text.ts'
import { suggest } from '../../core/text/suggest.ts'
import type { Rules } from '../../core/state/rules.ts'
import { parseToolEntry } from '../../core/calls/tool-list.ts'
import { ENV_NAMES_IGNORE_CASE, ownEnvironment } from '../../system/environment.ts'
import { exists, readText } from '../../system/files/files.ts'
import type { Repo } from '../../workspace/repo/find-repo.ts'
import { sourceFolders } from '../../workspace/detect/source-folders.ts'
import { branchAndChanges } from '../../workspace/repo/branch-and-changes.ts'
import { budgetWarnings } from './budget-warnings.ts'
import { modelWarnings } from './model-warnings.ts'
import { checkPermissionMode, toolListOfRun } from './agent-tools.ts'
import { refuseAgentsThatCannotAsk } from './interactive-permission.ts'
import {
  startupWarningsOf,
  refuseMissingGatePrograms,
  type ProbedAgent,
  type StartupWarning,
} from './startup-warnings.ts'

export interface PreflightResult {
  root: string
  agent: {
    name: string
    title: string
    version: string | null
    login: 'yes' | 'no' | 'unknown'
    /** The program that replaces the agent's own. */
    program: string[] | null
    others: string[]
    /** It follows a script and costs nothing: the demo. */
    simulated: boolean
  }
  model: string | null
  /** The format of agents that write only at the end of an iteration, and their titles; null: all agents stream events. */
  whole: { format: 'json' | 'text'; agents: string[] } | null
  /** The access of each agent, as text. */
  permissions: { agent: string; access: AgentAccess }[]
  /** The environment of agents and gates. */
  environment: {
    mode: EnvPolicy['mode']
    withheld: number
    /** Variables that a file of the project passes on, without a question to the user. */
    byProject: { pass: string[]; where: string } | null
  }
  gates: { name: string; run: string }[]
  /** The task counts of the run; null: it is a plain loop, or they were not counted. */
  tasks: TaskCounts | null
  /** The documents to write; null: the run is no draft. */
  draft: DraftRequest | null
  /** The source folders, found or from the settings; null: completions are not tried in the clean room. */
  work: { folders: string[]; found: boolean } | null
  /** The effective rules of the run: without agents that are not installed. */
  rules: Rules
  /** The iteration limit is the default, not the user's choice. */
  iterationsByDefault: boolean
  branch: string | null
  dirty: number
  git: boolean
  remarks: string[]
  startWarnings: StartupWarning[]
}

interface PreflightOptions {
  root: string
  repo: Repo
  settings: Settings
  rules: Rules
  /** Which programs may be started to ask for their version. */
  mayStart: ProbePolicy
  /** Only a loop needs a prompt, and no gate judges a draft. */
  kind: RunKind
  /** The agents follow a script and cost nothing. */
  simulated?: true
}

export async function runPreflight(options: PreflightOptions): Promise<PreflightResult> {
  const { root, repo, settings, mayStart, kind, simulated = false } = options
  if (kind === 'loop') checkPrompt(root, options.rules.loop.prompt)
  refuseMissingGatePrograms(options.rules, ownEnvironment())
  refuseAgentsThatCannotAsk(options.rules.agent, settings.agents)
  const ordered = options.rules.agent.order.map((name) => driverFor(name, settings.agents))
  const ignoredModes = checkPermissionMode(ordered, settings)
  const probed = await probeAll(options.rules.agent.order, settings, mayStart)
  const { first, driver, found, others } = firstInstalled(probed)
  const agent = {
    ...options.rules.agent,
    order: [first, ...others],
    tools: toolListOfRun({ root, settings, rules: options.rules }),
  }
  const installed = [driver, ...others.map((name) => driverFor(name, settings.agents))]
  const models = tierModelsOf(installed, settings)
  const unread = kind === 'tasks' && !mayRead(options.rules, installed)
  const task = unread ? { ...options.rules.task, verify: false } : options.rules.task
  const named = Object.keys(models).length === 0 ? agent : { ...agent, models }
  const rules = { ...options.rules, agent: named, task }
  const { format } = rules.agent
  const drivers = installed.map((one) => driverForFormat(one, format))
  const permissions = permissionsOf(rules, settings.agents)
  const remarks = [
    ...settings.remarks,
    ...refuseOrWarn(driver, settings, rules),
    ...modelWarnings(installed, {
      strategy: rules.model.strategy,
      models,
      isChosen: settings.origin('model.strategy').from !== 'default',
    }),
    ...ignoredModes,
    ...formatRemarks(drivers, format),
    ...(unread ? [UNREAD] : []),
    ...permissions.flatMap(({ access: { unsupported } }) => unsupported ?? []),
  ]
  remarks.push(...ageRemarks(driver, settings, found.version))
  if (mayStart === 'anything') remarks.push(...(await updateRemarks(driver, settings, found.version)))
  remarks.push(...drivers.flatMap((one) => budgetWarnings(one, rules.budget)))
  return {
    root,
    agent: {
      name: first,
      title: driver.title,
      version: found.version,
      login: found.login,
      program: settings.programs[first] ?? null,
      others,
      simulated,
    },
    model: rules.agent.model,
    whole: wholeOf(drivers, format),
    permissions,
    environment: environmentOf(settings),
    gates: rules.gates.map(({ name, run }) => ({ name, run })),
    // The caller fills these in.
    tasks: null,
    draft: null,
    work: await workOf({ ...options, rules }),
    rules,
    // A run of tasks has no limit by default: any other value comes from --limit.
    iterationsByDefault:
      settings.origin('loop.max_iterations').from === 'default' &&
      rules.loop.iterationsMax === settings.rules().loop.iterationsMax,
    ...(await branchAndChanges(repo)),
    git: repo.git !== null,
    remarks,
    startWarnings: startupWarningsOf(root, rules, { probed, kind, simulated }),
  }
}

const UNREAD = 'no installed agent has a read-only mode, so tasks are not reviewed (task.verify)'

/** Whether a reviewer can run: none is wanted, one is configured, or an installed agent can be kept read-only. */
function mayRead({ task, proof }: Rules, installed: Driver[]): boolean {
  if (!task.verify || proof.reviewer !== null) return true
  return installed.some(({ capabilities }) => capabilities.readOnly !== 'no')
}

function wholeOf(drivers: Driver[], format: Rules['agent']['format']): PreflightResult['whole'] {
  const agents = drivers.filter(({ formats }) => formats !== undefined).map(({ title }) => title)
  return format === undefined || agents.length === 0 ? null : { format, agents }
}

/** Only Claude Code has output formats. */
function formatRemarks(drivers: Driver[], format: Rules['agent']['format']): string[] {
  if (format === undefined) return []
  const only = format === 'text' ? 'only affects how its text is read' : 'has no effect on it'
  return drivers
    .filter(({ formats }) => formats === undefined)
    .map(({ title }) => `${title} has one output format: agent.output = "${format}" ${only}`)
}

async function workOf({
  root,
  repo,
  rules,
}: Pick<PreflightOptions, 'root' | 'repo' | 'rules'>): Promise<PreflightResult['work']> {
  const { proof, gates } = rules
  if (!hasGates({ gates }) || proof.level === 'quick') return null
  if (proof.source.length > 0) return { folders: proof.source, found: false }
  return { folders: await sourceFolders(repo, { root, gates }), found: true }
}

/** Probes every agent of the order without a paid call. */
function probeAll(order: string[], settings: Settings, mayStart: ProbePolicy): Promise<ProbedAgent[]> {
  return Promise.all(
    order.map(async (name) => {
      const driver = driverFor(name, settings.agents)
      const program = settings.programs[driver.name] ?? []
      return { driver, found: await probeAgent(driver, ownEnvironment(), { program, mayStart, check: 'start' }) }
    }),
  )
}

interface FirstInstalled {
  first: string
  driver: Driver
  found: AgentProbeResult
  /** The other installed agents, which may take over. */
  others: string[]
}

function firstInstalled(probed: ProbedAgent[]): FirstInstalled {
  const [begins, ...others] = probed.filter(({ found }) => found.installed)
  if (begins !== undefined) {
    const { driver, found } = begins
    return { first: driver.name, driver, found, others: others.map((one) => one.driver.name) }
  }
  const missing = probed.map(({ driver }) => driver)
  const fixes = missing.flatMap((driver) => failureFixesOf(driver).missing ?? [])
  const next = fixes.flatMap(({ command }) => command ?? [])
  const say = fixes.filter(({ command }) => command === undefined).map((fix) => `  ${fix.say}`)
  throw new RalphError('agent-missing', missing.map(notInstalled).join('; '), {
    hint: 'Or choose another: --agent NAME (ralph agents lists them).',
    more: { lines: [...say, ...next.map((command) => `Next: ${command}`)], facts: { next } },
  })
}

function notInstalled({ title, program }: Driver): string {
  return `${title} is not installed (${program} is not on the PATH)`
}

/** An old agent causes only a warning: it may still work. */
function ageRemarks(driver: Driver, settings: Settings, version: string | null): string[] {
  const least = settings.values['agent.min_version'] ?? driver.minVersion
  if (version === null || least === null || !isOlderVersion(version, least)) return []
  return [`${driver.title} ${version} is older than ${least}, the oldest version known to work`]
}

async function updateRemarks(driver: Driver, settings: Settings, version: string | null): Promise<string[]> {
  if (!settings.values['agent.update_check'] || (ownEnvironment()['CI'] ?? '') !== '') return []
  const newest = await fetchLatestAgentVersion(driver, ownEnvironment())
  if (newest === null) return [`the check for a newer ${driver.title} got no answer within 5 s`]
  if (version === null || !isOlderVersion(version, newest)) return []
  return [`${driver.title} ${newest} is available: ${driver.install}`]
}

function checkPrompt(root: string, prompt: string): void {
  const path = resolve(root, prompt)
  if (!exists(path)) {
    throw new RalphError('no-prompt', `${prompt} is missing in ${root}`, {
      hint: 'To create it: ralph init --task "what to build". To work on tasks instead: ralph run',
    })
  }
  if (readText(path).trim() === '') {
    throw new RalphError('no-prompt', `${path} is empty`, { hint: 'Describe in it what the agent should do.' })
  }
}

/** Refuses an unsupported setting from a flag; one from a file or a default is ignored with a warning. */
function refuseOrWarn(driver: Driver, settings: Settings, rules: Rules): string[] {
  const wanted: [
    string,
    boolean,
    keyof Driver['capabilities'],
    'agent.tools' | 'agent.effort' | 'agent.model' | 'agent.max_turns',
  ][] = [
    ['a tool list', settings.values['agent.tools'] !== null, 'tools', 'agent.tools'],
    ['an effort', rules.agent.effort !== null, 'effort', 'agent.effort'],
    ['a model', rules.agent.model !== null && rules.model.strategy === 'fixed', 'model', 'agent.model'],
    ['a turn limit', rules.agent.maxTurns !== null, 'maxTurns', 'agent.max_turns'],
  ]
  const remarks: string[] = []
  for (const [what, asked, capability, key] of wanted) {
    if (!asked || driver.capabilities[capability] !== 'no') continue
    const text = `${driver.title} does not support ${what} (${key})`
    if (settings.origin(key).from === 'flag') {
      throw new RalphError('agent-unusable', text, {
        hint: 'Leave the flag out, or choose an agent that supports it: ralph agents',
      })
    }
    remarks.push(`${text}; Ralph ignores the setting`)
  }
  for (const tool of unknownTools(driver, settings)) {
    const near = suggest(parseToolEntry(tool).name, driver.toolNames ?? [])
    const text = `${driver.title} has no tool "${tool}"`
    const hint = near === null ? `It has ${driver.toolNames?.join(', ') ?? ''}` : `Did you mean ${near}?`
    if (settings.origin('agent.tools').from === 'flag') throw new RalphError('usage', text, { hint })
    remarks.push(`${text}. ${hint}`)
  }
  return remarks
}

/** Tools that the agent does not have: calls to them would be denied during the run. MCP tools have names of their own. */
function unknownTools({ toolNames }: Driver, { values }: Settings): string[] {
  const tools = [...(values['agent.tools'] ?? []), ...values['agent.allow']]
  return tools.filter((tool) => {
    const { name } = parseToolEntry(tool)
    return toolNames !== null && !toolNames.includes(name) && !name.startsWith('mcp__')
  })
}

/** The access of each agent, in the order in which they take over. */
function permissionsOf(rules: Rules, custom: Settings['agents']): PreflightResult['permissions'] {
  const wishes = toolPermissionsOf(rules.agent)
  return rules.agent.order.map((agent) => ({ agent, access: driverFor(agent, custom).access(wishes) }))
}

function environmentOf(settings: Settings): PreflightResult['environment'] {
  const { values, envPolicy, agents } = settings
  const said = settings.origin('env.pass')
  const pass = [...envPolicy.pass]
  const byProject = said.from === 'project' && pass.length > 0 ? { pass, where: fileLocation(said) } : null
  const receivers = envReceiversOf(allAgentNames(values), agents)
  const withheld = withheldVariables(ownEnvironment(), { envPolicy, receivers, caseless: ENV_NAMES_IGNORE_CASE }).length
  return { mode: envPolicy.mode, withheld, byProject }
}
