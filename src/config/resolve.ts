/**
 * What the user chose: every setting's value and where it was said, with flag before environment before the project's
 * files before the user's file before the default. Read once, at the start; a run keeps the result in its record.
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
import { ACP_PREFIX, chooseAgents, isUnknownAgent } from './agent-command.ts'
import { programsFromProject, type ProgramSettings, type ProgramsToStart } from './project-programs.ts'
import type { Origin, WithOrigin } from './origin.ts'
import { SETTING_KEYS, type SettingKey, type SettingValues } from './settings.ts'
import { chooseModelStrategy } from './model-strategy.ts'
import { readAgents, readGates, readBashGates } from './gate-agent-tables.ts'

export interface Settings {
  /** Durations are milliseconds; null is what the setting's own word says ("auto", "none", "default"). */
  values: SettingValues
  origin(key: SettingKey): Origin
  /** Worth telling at the start: conflicts, lines that were ignored, misspelt names. */
  remarks: string[]
  /** Old names that were set and have no effect here; for `ralph config list`. */
  unused: UnusedSetting[]
  /** Old names that ask for what is not offered: no run starts with them (`refuseUnsupportedSettings`). */
  refused: RefusedSetting[]
  gates: Gate[]
  /** What agents and gates get of the user's environment. */
  envPolicy: EnvPolicy
  /** Agents of the user's own. */
  agents: Record<string, CustomAgent>
  /** Programs to start instead of an agent's own, by the agent's name. */
  programs: Record<string, string[]>
  /** The same two: what holds without the files of the project, and what these say. */
  users: AgentPrograms
  projects: AgentPrograms
  /** What their models are called, by the agent's name and the tier. */
  models: Record<string, Partial<TierModels>>
  /** As if the project had no settings files. */
  withoutProjectFiles: () => Settings
  /** What of all that a command starts a file of the project names. */
  executed: (starting: ProgramsToStart) => ProjectProgram[]
  made: ProjectOrigin
  /** `agent.tools` as it was said; what stands there without a word is found out at the start. */
  rules(): Rules
}

export type AgentPrograms = Pick<Settings, 'agents' | 'programs'>

export async function resolveSettings(sources: SettingsSources): Promise<Settings> {
  const layers = await readLayers(sources)
  const toml = layers.find(({ name, from }) => from === 'project' && name === '.ralph.toml')
  const made = toml === undefined ? 'bash' : toml.isRustTool ? 'rust' : 'ours'
  return resolveLayers(layers, { made, installed: await installedOf(strangersIn(layers), sources.env) })
}

interface ResolveContext {
  made: ProjectOrigin
  /** Those of the agents' names that Ralph does not know and that are programs of this machine. */
  installed: ReadonlySet<string>
}

/** Names in any order of agents that are neither ours nor command lines; whether a table describes them is not asked yet. */
function strangersIn(layers: readonly Layer[]): string[] {
  const orders = layers
    .filter(({ said }) => said.has('agent.order'))
    .map((layer) => chooseValue('agent.order', [layer]))
  const names = orders.flatMap(({ value }) => (Array.isArray(value) ? value : []))
  return names.filter(isUnknownAgent)
}

/** Processes are only loaded where there is somebody to look for. */
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

/** Ends a start, with every place to look at: whoever asked for a sandbox must not find out afterwards that there was none. */
export function refuseUnsupportedSettings({ refused }: Settings): void {
  const [first, ...others] = refused
  if (first === undefined) return
  const lines = others.map(({ where, why }) => `       ${where} is not offered: ${why}`)
  throw new RalphError('not-offered', `${first.where} is not offered: ${first.why}`, {
    hint: `${first.fix} Nothing was started.`,
    more: { lines, facts: { refused } },
  })
}

/** Whose words count: all, the user's without those of the project, or the project's where they are the strongest. */
type Whose = 'all' | 'users' | 'projects'

/** What is started where `agent.command` says so, and else what the tables say. */
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
    allowances: Object.fromEntries(LEAVE.map((key) => [key, { value: values[key], origin: origin(key) }] as const)),
  }
}

/** A run that was refused may have left these in a file of the project: whoever starts the next one is asked about them. */
const LEAVE = [
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

/** The first file that has gates gives all of them; agents of all files come together, the stronger file's first. */
function readTables(layers: readonly Layer[]): Tables {
  const byLayer = layers.map((layer) => ({
    gates: readGates(layer),
    old: readBashGates(layer),
    ...readAgents(layer),
  }))
  return {
    gates: byLayer.flatMap(({ gates, old }) => [gates, old]).find((gates) => gates.length > 0) ?? [],
    own: together(byLayer.map(({ own }) => own)),
    programs: together(byLayer.map(({ programs }) => programs)),
    models: Object.fromEntries(
      [...together(byLayer.map(({ models }) => models))].map(([name, all]) => [
        name,
        Object.assign({}, ...all.toReversed()),
      ]),
    ),
  }
}

function together<T>(maps: readonly Map<string, T>[]): Map<string, T[]> {
  const all = new Map<string, T[]>()
  for (const [name, value] of maps.flatMap((map) => [...map])) all.set(name, [...(all.get(name) ?? []), value])
  return all
}

/** What the table of rules says, and the two things that it does not: what an agent is asked to write, and the gates. */
function rulesOf({ values, gates, made }: Settings): Rules {
  const said = rulesFromSettings(values, made)
  return { ...said, agent: { ...said.agent, ...outputOf(values['agent.output']) }, gates }
}

/** Words count where nothing else was asked for. */
function outputOf(asked: SettingValues['agent.output']): Pick<Rules['agent'], 'output' | 'format'> {
  return asked === 'stream-json' ? { output: 'json' } : { output: asked === 'text' ? 'text' : 'json', format: asked }
}
