/**
 * Which programs are started because a file of the project names them. A stranger's repository brings such files along, so these
 * are what a person is asked about before anything runs. What was said by flag, by environment or in the user's own file is not
 * among them: whoever said it meant it.
 */
import type { CustomAgent } from '../domain/calls/agent.ts'
import type { Gate } from '../domain/proof/evidence.ts'
import { NO_SET_UP } from '../domain/state/rules.ts'
import type { Executed } from '../domain/trust/trust.ts'
import { ACP } from './agent-command.ts'
import { place, type Sourced } from './origin.ts'
import type { ExecutedKey } from './settings.ts'

/** What of the settings can be started, each with all who say it, the strongest first. */
export interface Startable {
  /** Agents that are command lines (`acp:COMMAND`), by the setting that names them. */
  spoken: Record<Exclude<ExecutedKey, 'agent.command' | 'proof.setup'>, Sourced<string[]>>
  /** `agent.command`, where it is used: for an agent, or as the one agent there is. */
  command: { agent: string; said: Sourced<string[]> } | null
  own: Map<string, Sourced<CustomAgent>[]>
  /** Of `[agents.NAME]`, for agents that Ralph knows. */
  programs: Map<string, Sourced<string[]>[]>
  gates: Sourced<Gate>[]
  /** `proof.setup`: started where gates are. */
  setUp: Sourced<string | null>
  /** Settings that take something away from the judge, by name: an agent may have written them. */
  leave: Record<string, Sourced<string[]>>
}

/** What a command is going to start, by name. */
export interface Starting {
  agents: readonly string[]
  gates: readonly string[]
}

export function executedBy(startable: Startable, starting: Starting): Executed[] {
  const { command, spoken, own, programs, gates, setUp, leave } = startable
  const agents = [...new Set(starting.agents)]
  const found: (Executed | null)[] = [
    command !== null && agents.includes(command.agent) ? wordsOf('agent.command', command.said) : null,
    ...Object.entries(spoken).flatMap(([setting, said]) =>
      said.value
        .filter((name) => name.startsWith(ACP) && agents.includes(name))
        .map((name) => ofProject(said, { setting, run: name.slice(ACP.length), cwd: '.', env: {} })),
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
    ...Object.entries(leave)
      .filter(([, { value }]) => starting.gates.length > 0 && value.length > 0)
      .map(([setting, said]) => wordsOf(setting, said)),
  ]
  return found.filter((one) => one !== null)
}

/** The fields that are marked as executed in `tables.ts`. */
function describedAgent(name: string, said: Sourced<CustomAgent>): Executed | null {
  const { command, env } = said.value
  return ofProject(said, { setting: `agents.${name}`, run: command, cwd: '.', env })
}

function gateOf(said: Sourced<Gate>): Executed | null {
  const { name, run, cwd, env } = said.value
  return ofProject(said, { setting: `gate ${name}`, run, cwd, env })
}

function setUpOf(said: Sourced<string | null>): Executed | null {
  const { value: run } = said
  if (run === null || run === NO_SET_UP) return null
  return ofProject(said, { setting: 'proof.setup', run, cwd: '.', env: {} })
}

function wordsOf(setting: string, said: Sourced<string[]>): Executed | null {
  return ofProject(said, { setting, run: said.value, cwd: '.', env: {} })
}

function ofProject({ origin }: Sourced<unknown>, program: Omit<Executed, 'where'>): Executed | null {
  return origin.from === 'project' ? { ...program, where: place(origin) } : null
}
