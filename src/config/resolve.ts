/**
 * The effective settings: every value and its origin. Flags override the environment, then the project's files, the user's file and the
 * default. Read once, at the start; a run keeps the result in its record.
 */
import type { CustomAgent } from '../core/calls/agent-io.ts'
import { RalphError } from '../core/error.ts'
import type { EnvPolicy } from '../core/trust/environment.ts'
import type { Gate } from '../core/proof/evidence.ts'
import type { TierModels } from '../core/models/model-strategy.ts'
import type { ProjectOrigin } from '../core/settings/rule.ts'
import { rulesFromSettings } from '../core/settings/rule-table.ts'
import type { Rules } from '../core/state/rules.ts'
import type { ProjectProgram } from '../core/trust/trust.ts'
import { chooseValue } from './choose-value.ts'
import type { Layer, RefusedSetting, UnusedSetting } from './layer.ts'
import { readLayers, type SettingsSources } from './layers.ts'
import { ACP_PREFIX, chooseAgents, isUnknownAgent } from './choose-agents.ts'
import { programsFromProject, type ProgramSettings, type ProgramsToStart } from './project-programs.ts'
import type { Origin, WithOrigin } from './origin.ts'
import { SETTING_KEYS, type SettingKey, type SettingValues } from './settings.ts'
import { chooseModelStrategy } from './model-strategy.ts'
import { readAgents, readGates, readBashGates } from './gate-agent-tables.ts'

export interface Settings {
  /** Durations are milliseconds; null is the setting's special word ("auto", "none", "default"). */
  values: SettingValues
  origin(key: SettingKey): Origin
  /** Remarks to show at the start: conflicts, ignored lines, misspelt names. */
  remarks: string[]
  /** Old names that are set and have no effect here; for `ralph config list`. */
  unused: UnusedSetting[]
  /** Old names that ask for unsupported features: no run starts with them (`refuseUnsupportedSettings`). */
  refused: RefusedSetting[]
  gates: Gate[]
  /** Which of the user's environment variables agents and gates get. */
  envPolicy: EnvPolicy
  /** The user's own agents. */
  agents: Record<string, CustomAgent>
  /** Programs to start instead of an agent's own, by the agent's name. */
  programs: Record<string, string[]>
  /** The same two without the project's files, and from the project's files alone. */
  users: AgentPrograms
  projects: AgentPrograms
  /** The names of their models, by agent and tier. */
  models: Record<string, Partial<TierModels>>
  /** As if the project had no settings files. */
  withoutProjectFiles: () => Settings
  /** Which of the programs that a command starts are named by a file of the project. */
  executed: (starting: ProgramsToStart) => ProjectProgram[]
  made: ProjectOrigin
  /** `agent.tools` as it was set; without a value it is detected at the start. */
  rules(): Rules
}

export type AgentPrograms = Pick<Settings, 'agents' | 'programs'>

export async function resolveSettings(sources: SettingsSources): Promise<Settings> {
  const layers = await readLayers(sources)
  const toml = layers.find(({ name, from }) => from === 'project' && name === '.ralph.toml')
  const made = toml === undefined ? 'bash' : toml.isRustTool ? 'rust' : 'ours'
  return resolveLayers(layers, { made, installed: await installedOf(unknownAgentNames(layers), sources.env) })
}

interface ResolveContext {
  made: ProjectOrigin
  /** Unknown agent names that are programs on this machine. */
  installed: ReadonlySet<string>
}

/** Names in any agent order that are neither known agents nor command lines; tables of own agents are not considered yet. */
function unknownAgentNames(layers: readonly Layer[]): string[] {
  const orders = layers
    .filter(({ said }) => said.has('agent.order'))
    .map((layer) => chooseValue('agent.order', [layer]))
  const names = orders.flatMap(({ value }) => (Array.isArray(value) ? value : []))
  return names.filter(isUnknownAgent)
}

/** Loads the process code only if there is a name to look up. */
async function installedOf(names: string[], env: SettingsSources['env']): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const { findProgram } = await import('../system/process/process.ts')
  return new Set(names.filter((name) => findProgram(name, env) !== null))
}

function resolveLayers(layers: readonly Layer[], ground: ResolveContext): Settings {
  const { made, installed } = ground
  const chosen = new Map(SETTING_KEYS.map((key) => [key, chooseValue(key, layers)]))
  const values = Object.fromEntries(SETTING_KEYS.map((key) => [key, chosen.get(key)?.value])) as SettingValues
  const rankOf = (key: SettingKey): number => chosen.get(key)?.rank ?? layers.length
  const origin = (key: SettingKey): Origin => chosen.get(key)?.origin ?? { from: 'default' }
  const tables = readTables(layers)
  const agents = chooseAgents({
    order: values['agent.order'],
    orderRank: rankOf('agent.order'),
    orderSaid: origin('agent.order').from !== 'default',
    command: values['agent.command'],
    commandRank: rankOf('agent.command'),
    commandOrigin: origin('agent.command'),
    orderOrigin: origin('agent.order'),
    own: [...tables.own.keys()],
    installed,
    made,
  })
  const strategy = chooseModelStrategy({
    model: values['agent.model'],
    strategy: values['model.strategy'],
    modelFirst: rankOf('agent.model') < rankOf('model.strategy'),
    origin,
  })
  const startable = startableOf({ values, origin, tables, agents })
  const settings: Settings = {
    values: { ...values, 'agent.order': agents.order, 'model.strategy': strategy.value },
    origin,
    remarks: [
      ...layers.flatMap((layer) => layer.remarks),
      ...[...chosen.values()].flatMap((choice) => choice.remarks),
      ...agents.remarks,
      ...strategy.remarks,
    ],
    unused: layers.flatMap((layer) => layer.unused),
    refused: layers.flatMap((layer) => layer.refused),
    gates: tables.gates.map(({ value }) => value),
    envPolicy: { mode: values['env.mode'], pass: values['env.pass'] },
    ...agentsIn(startable, 'all'),
    users: agentsIn(startable, 'users'),
    projects: agentsIn(startable, 'projects'),
    models: tables.models,
    withoutProjectFiles: () =>
      resolveLayers(
        layers.filter(({ from }) => from !== 'project'),
        ground,
      ),
    executed: (starting) => programsFromProject(startable, starting),
    made,
    rules: () => rulesOf(settings),
  }
  return settings
}

/** Refuses to start and lists every origin: a user who asked for a sandbox must not learn afterwards that there was none. */
export function refuseUnsupportedSettings({ refused }: Settings): void {
  const [first, ...others] = refused
  if (first === undefined) return
  const lines = others.map(({ where, why }) => `       ${where} is not supported: ${why}`)
  throw new RalphError('not-offered', `${first.where} is not supported: ${first.why}`, {
    hint: `${first.fix} Nothing was started.`,
    more: { lines, facts: { refused } },
  })
}

/** Which origins count: all, all but the project's, or the project's if they are the strongest. */
type Whose = 'all' | 'users' | 'projects'

/** The programs from `agent.command` if it is used, else from the tables. */
function agentsIn({ own, command, programs }: ProgramSettings, whose: Whose): AgentPrograms {
  const said =
    command === null || command.agent.startsWith(ACP_PREFIX)
      ? programs
      : new Map([...programs, [command.agent, [command.said, ...(programs.get(command.agent) ?? [])]] as const])
  return { agents: strongest(own, whose), programs: strongest(said, whose) }
}

function strongest<T>(said: Map<string, WithOrigin<T>[]>, whose: Whose): Record<string, T> {
  const entries = [...said].flatMap(([name, all]) => {
    const found = whose === 'users' ? all.find(({ origin }) => origin.from !== 'project') : all[0]
    const counts = found !== undefined && (whose !== 'projects' || found.origin.from === 'project')
    return counts ? [[name, found.value] as const] : []
  })
  return Object.fromEntries(entries)
}

interface Chosen {
  values: SettingValues
  origin: (key: SettingKey) => Origin
  tables: Tables
  agents: ReturnType<typeof chooseAgents>
}

function startableOf({ values, origin, tables, agents }: Chosen): ProgramSettings {
  const { command, order } = agents
  const review = values['proof.reviewer']
  const said = (program: string[]): WithOrigin<string[]> => ({
    value: program,
    origin: origin('agent.command'),
  })
  return {
    spoken: {
      'agent.order': { value: command?.is === 'order' ? [] : order, origin: origin('agent.order') },
      'proof.reviewer': { value: review === null ? [] : [review], origin: origin('proof.reviewer') },
    },
    command:
      command === null
        ? null
        : command.is === 'program'
          ? { agent: command.agent, said: said(command.program) }
          : { agent: order[0] ?? '', said: said(values['agent.command'] ?? []) },
    own: tables.own,
    programs: tables.programs,
    gates: tables.gates,
    setUp: { value: values['proof.setup'], origin: origin('proof.setup') },
    allowances: Object.fromEntries(
      ALLOWANCE_KEYS.map((key) => [key, { value: values[key], origin: origin(key) }] as const),
    ),
  }
}

/** An agent of a rejected run may have written these to a project file, so the person who starts the next run is asked about them. */
const ALLOWANCE_KEYS = [
  'proof.allow_tests',
  'proof.allow_protected',
  'proof.source',
  'proof.quarantine',
  'workspace.copy',
] as const

/** Every agent that a run may start, the reviewer included. */
export function allAgentNames(values: SettingValues): string[] {
  const review = values['proof.reviewer']
  return [...new Set([...values['agent.order'], ...(review === null ? [] : [review])])]
}

type Tables = Pick<ProgramSettings, 'gates' | 'own' | 'programs'> & Pick<Settings, 'models'>

/** The first file with gates provides all gates; agents of all files are merged, the stronger file's first. */
function readTables(layers: readonly Layer[]): Tables {
  const byLayer = layers.map((layer) => ({ gates: readGates(layer), old: readBashGates(layer), ...readAgents(layer) }))
  return {
    gates: byLayer.flatMap(({ gates, old }) => [gates, old]).find((gates) => gates.length > 0) ?? [],
    own: mergeMaps(byLayer.map(({ own }) => own)),
    programs: mergeMaps(byLayer.map(({ programs }) => programs)),
    models: Object.fromEntries(
      [...mergeMaps(byLayer.map(({ models }) => models))].map(([name, all]) => [
        name,
        Object.assign({}, ...all.toReversed()),
      ]),
    ),
  }
}

function mergeMaps<T>(maps: readonly Map<string, T>[]): Map<string, T[]> {
  const all = new Map<string, T[]>()
  for (const [name, value] of maps.flatMap((map) => [...map])) all.set(name, [...(all.get(name) ?? []), value])
  return all
}

/** The rules from the table, plus the agent's output format and the gates. */
function rulesOf({ values, gates, made }: Settings): Rules {
  const said = rulesFromSettings(values, made)
  return { ...said, agent: { ...said.agent, ...outputOf(values['agent.output']) }, gates }
}

/** Prose counts only if `text` was chosen. */
function outputOf(asked: SettingValues['agent.output']): Pick<Rules['agent'], 'output' | 'format'> {
  return asked === 'stream-json' ? { output: 'json' } : { output: asked === 'text' ? 'text' : 'json', format: asked }
}
