/**
 * Which programs start because a file of the project names them. Such files come with any cloned repository, so a person is asked
 * before these programs run. Values from flags, the environment or the user's own file are excluded: the user set those.
 */
import type { CustomAgent } from '../core/calls/agent-io.ts'
import type { Gate } from '../core/proof/evidence.ts'
import { NO_SETUP } from '../core/state/rules.ts'
import type { ProjectProgram } from '../core/trust/trust.ts'
import { ACP_PREFIX } from './choose-agents.ts'
import { fileLocation, type WithOrigin } from './origin.ts'
import type { ProgramSettingKey } from './settings.ts'

/** Settings that can start a program, each with all its origins, the strongest first. */
export interface ProgramSettings {
  /** Agents that are command lines (`acp:COMMAND`), by the setting that names them. */
  spoken: Record<Exclude<ProgramSettingKey, 'agent.command' | 'proof.setup'>, WithOrigin<string[]>>
  /** `agent.command`, if it is used: for one agent, or as the only agent. */
  command: { agent: string; said: WithOrigin<string[]> } | null
  own: Map<string, WithOrigin<CustomAgent>[]>
  /** From `[agents.NAME]`, for known agents. */
  programs: Map<string, WithOrigin<string[]>[]>
  gates: WithOrigin<Gate>[]
  /** `proof.setup`: started together with gates. */
  setUp: WithOrigin<string | null>
  /** Settings that reduce the protected files, by name: an agent may have written them. */
  allowances: Record<string, WithOrigin<string[]>>
}

/** The agents and gates that a command is going to start, by name. */
export interface ProgramsToStart {
  agents: readonly string[]
  gates: readonly string[]
}

export function programsFromProject(startable: ProgramSettings, starting: ProgramsToStart): ProjectProgram[] {
  const { command, spoken, own, programs, gates, setUp, allowances } = startable
  const agents = [...new Set(starting.agents)]
  const found: (ProjectProgram | null)[] = [
    command !== null && agents.includes(command.agent) ? wordsOf('agent.command', command.said) : null,
    ...Object.entries(spoken).flatMap(([setting, said]) =>
      said.value
        .filter((name) => name.startsWith(ACP_PREFIX) && agents.includes(name))
        .map((name) => ofProject(said, { setting, run: name.slice(ACP_PREFIX.length), cwd: '.', env: {} })),
    ),
    ...agents.flatMap((name) => {
      const [described] = own.get(name) ?? []
      const [replaced] = command?.agent === name ? [] : (programs.get(name) ?? [])
      return [
        described === undefined ? null : describedAgent(name, described),
        replaced === undefined ? null : wordsOf(`agents.${name}`, replaced),
      ]
    }),
    ...gates.filter(({ value }) => starting.gates.includes(value.name)).map(gateOf),
    starting.gates.length > 0 ? setUpOf(setUp) : null,
    ...Object.entries(allowances)
      .filter(([, { value }]) => starting.gates.length > 0 && value.length > 0)
      .map(([setting, said]) => wordsOf(setting, said)),
  ]
  return found.filter((one) => one !== null)
}

/** The fields marked as executed in `gate-agent-tables.ts`. */
function describedAgent(name: string, said: WithOrigin<CustomAgent>): ProjectProgram | null {
  const { command, env } = said.value
  return ofProject(said, { setting: `agents.${name}`, run: command, cwd: '.', env })
}

function gateOf(said: WithOrigin<Gate>): ProjectProgram | null {
  const { name, run, cwd, env } = said.value
  return ofProject(said, { setting: `gate ${name}`, run, cwd, env })
}

function setUpOf(said: WithOrigin<string | null>): ProjectProgram | null {
  const { value: run } = said
  if (run === null || run === NO_SETUP) return null
  return ofProject(said, { setting: 'proof.setup', run, cwd: '.', env: {} })
}

function wordsOf(setting: string, said: WithOrigin<string[]>): ProjectProgram | null {
  return ofProject(said, { setting, run: said.value, cwd: '.', env: {} })
}

function ofProject({ origin }: WithOrigin<unknown>, program: Omit<ProjectProgram, 'where'>): ProjectProgram | null {
  return origin.from === 'project' ? { ...program, where: fileLocation(origin) } : null
}
