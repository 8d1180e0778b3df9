/** The available agents, and which of them are installed on this machine. */
import type { CustomAgent } from '../core/calls/agent-io.ts'
import { isKnownAgent, KNOWN_AGENTS } from '../core/calls/known-agents.ts'
import { GATE_RECEIVER, type EnvReceiver } from '../core/trust/environment.ts'
import { RalphError } from '../core/error.ts'
import { suggest } from '../core/text/suggest.ts'
import { resolvesInto } from '../system/files/links.ts'
import { runProgram, findProgram } from '../system/process/process.ts'
import { ACP_PREFIX, createAcpDriver } from './acp.ts'
import type { Driver, Environment, LoginState } from './driver.ts'
import { DRIVERS } from './drivers.ts'
import { loginOf, type LoginCheck } from './login-status.ts'
import { createCustomDriver } from './plain.ts'

export function allDrivers(): Driver[] {
  return KNOWN_AGENTS.map((name) => DRIVERS[name])
}

/** The driver with this name: the user's own from `[agents.NAME]` first, else one of Ralph's. */
export function driverFor(name: string, custom: Record<string, CustomAgent>): Driver {
  const own = custom[name]
  if (own !== undefined) return createCustomDriver({ ...own, name })
  if (name.startsWith(ACP_PREFIX)) return createAcpDriver(name, allDrivers())
  if (isKnownAgent(name)) return DRIVERS[name]
  const names = [...KNOWN_AGENTS, ...Object.keys(custom)]
  const meant = suggest(name, names)
  throw new RalphError('bad-setting', `unknown agent "${name}"`, {
    hint: `${meant === null ? '' : `Did you mean "${meant}"? `}Known agents: ${names.join(', ')}, acp:COMMAND. For another program, add [agents.${name}] with command = ["…"] to .ralph.toml`,
  })
}

/** What receives parts of the environment: these agents, each with its vendor's own keys, and the gates. */
export function envReceiversOf(names: string[], custom: Record<string, CustomAgent>): Record<string, EnvReceiver> {
  const agents = names.map((name): [string, EnvReceiver] => [name, { is: 'agent', keys: driverFor(name, custom).keys }])
  return { ...Object.fromEntries(agents), gates: GATE_RECEIVER }
}

export interface AgentProbeResult {
  installed: boolean
  path: string | null
  version: string | null
  tooOld: boolean
  login: LoginState
  /** Why it was not run to ask for its version: it is the user's own command, or a file of the repository. */
  unasked: 'own' | 'inside' | null
}

/** Which programs may be run to ask for their version. */
export type ProbePolicy =
  /** A run starts it anyway, and the user trusts it if needed; even then a user's own agent is not asked. */
  | 'anything'
  /** Inspection only: just a vendor's own program, and only if it is outside this folder. */
  | { outside: string | null }

/** Agents answer within a second; without a limit one that hangs would block every `ralph doctor`. */
const VERSION_MS = 5_000

/** What can be found out without a paid call. `program`: the user's replacement for the driver's own program. */
export async function probeAgent(
  driver: Driver,
  env: Environment,
  { program = [], mayStart, check = 'list' }: { program?: string[]; mayStart: ProbePolicy; check?: LoginCheck },
): Promise<AgentProbeResult> {
  const [name, ...args] = program.length > 0 ? program : [driver.find?.(env) ?? driver.program]
  const path = name === undefined || name === '' ? null : findProgram(name, env)
  const isReplaced = program.length > 0
  const unasked = path === null ? null : whyUnasked(path, driver, { isReplaced, mayStart })
  // A program that replaces the vendor's may take any argument for its task.
  const login = loginOf(driver, env, { path: unasked === null && !isReplaced ? path : null, check })
  const unknown = { version: null, tooOld: false, unasked: null }
  if (path === null) return { ...unknown, login: await login, installed: false, path: null }
  if (unasked !== null) return { ...unknown, login: await login, installed: true, path, unasked }
  const version = await versionOf([path, ...args, '--version'], env)
  const tooOld = version !== null && driver.minVersion !== null && isOlderVersion(version, driver.minVersion)
  return { installed: true, path, version, tooOld, login: await login, unasked }
}

function whyUnasked(
  path: string,
  driver: Driver,
  { isReplaced, mayStart }: { isReplaced: boolean; mayStart: ProbePolicy },
): AgentProbeResult['unasked'] {
  // A user's own program may do anything when called with `--version`: it may treat that as its task.
  if (!allDrivers().includes(driver)) return 'own'
  if (mayStart === 'anything') return null
  if (isReplaced) return 'own'
  return mayStart.outside !== null && resolvesInto(path, mayStart.outside) ? 'inside' : null
}

async function versionOf(argv: string[], env: Environment): Promise<string | null> {
  const said = await runProgram(argv, { cwd: env['HOME'] ?? '/', timeoutMs: VERSION_MS, maxBytes: 64 * 1024 })
  return /\d+\.\d+(?:\.\d+)?(?:[-+][\w.]+)?/.exec(`${said.stdout}\n${said.stderr}`)?.[0] ?? null
}

/** Compares the numbers; a suffix (`-beta.1`) does not count. */
export function isOlderVersion(version: string, least: string): boolean {
  const numbers = (text: string) => (text.split(/[-+]/)[0] ?? '').split('.').map(Number)
  const [have, need] = [numbers(version), numbers(least)]
  for (let place = 0; place < need.length; place += 1) {
    const difference = (have[place] ?? 0) - (need[place] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}
