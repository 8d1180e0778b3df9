/**
 * Lists all agents, which of them are installed, and what each can do. No probe costs money, and all run at once. Only the vendors' own
 * programs are probed: a command from the settings or from the repository is never started just to list it.
 */
import { ACP_PREFIX } from '../../agents/acp.ts'
import type { Driver } from '../../agents/driver.ts'
import type { LoginCheck } from '../../agents/login-status.ts'
import { allDrivers, driverFor, probeAgent, type AgentProbeResult } from '../../agents/registry.ts'
import type { Settings } from '../../config/resolve.ts'
import type { Capabilities } from '../../core/calls/agent-io.ts'
import { untrustedTreeRoot } from '../../workspace/repo/find-repo.ts'

/** One row of the matrix; `ralph agents --json` prints a list of them. */
export interface AgentFacts extends AgentProbeResult {
  name: string
  title: string
  /** The program to start: the driver's own, or the one from the settings. */
  program: string
  minVersion: string | null
  capabilities: Capabilities
  /** How to install it, one line. */
  install: string
  /** Described by the user in `[agents.NAME]`. */
  own: boolean
  /** Place in `agent.order`, from 1; null: not chosen. */
  chosen: number | null
  /** `tables`: the driver was tested on written examples only, never against the program itself. */
  tested: 'program' | 'tables'
}

type Chosen = Pick<Settings, 'values' | 'agents' | 'programs'>

export interface ProjectEnv {
  /** The project's folder. Programs inside its repository are not started. */
  root: string
  env: Record<string, string | undefined>
}

/** By default no program is asked about its login. */
type ProbeOptions = ProjectEnv & { check?: LoginCheck }

/** Built-in agents first, in their usual order, then those chosen by an ACP command line, then the user's own. */
export async function probeAllAgents(settings: Chosen, where: ProbeOptions): Promise<AgentFacts[]> {
  const spoken = settings.values['agent.order'].filter((name) => name.startsWith(ACP_PREFIX))
  const others = [...new Set([...spoken, ...Object.keys(settings.agents)])]
  const drivers = [...allDrivers(), ...others.map((name) => driverFor(name, settings.agents))]
  return Promise.all(drivers.map((driver) => factsOf(driver, settings, where)))
}

async function factsOf(driver: Driver, settings: Chosen, { root, env, check }: ProbeOptions): Promise<AgentFacts> {
  const { name, title, minVersion, capabilities, install } = driver
  const command = settings.programs[name] ?? settings.agents[name]?.command ?? []
  const location = settings.values['agent.order'].indexOf(name)
  const mayStart = { outside: untrustedTreeRoot(root, env['HOME'] ?? env['USERPROFILE']) }
  return {
    name,
    title,
    program: command[0] ?? driver.program,
    ...(await probeAgent(driver, env, { program: command, mayStart, ...(check === undefined ? {} : { check }) })),
    minVersion,
    capabilities,
    install,
    own: settings.agents[name] !== undefined,
    chosen: location < 0 ? null : location + 1,
    tested: driver.tested ?? 'program',
  }
}
