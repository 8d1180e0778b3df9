/**
 * Which account an agent's calls go to. Limits belong to accounts, not to names: two agents with one key are limited together, so falling
 * back from one to the other would not help. A credential identifies an account; no key can be read from it.
 */
import { join } from 'node:path'
import type { CustomAgent } from '../core/calls/agent-io.ts'
import { envAssignments, programName } from '../core/text/program-name.ts'
import type { EnvPolicy } from '../core/trust/environment.ts'
import { childEnv } from '../system/environment.ts'
import { hashText } from '../system/files/files.ts'
import type { AccountIdentity, Driver, Environment } from './driver.ts'
import { allDrivers, driverFor } from './registry.ts'

/** How it is started: the program with its arguments, and its environment. */
export interface LaunchCommand {
  argv: readonly string[]
  env: Environment
}

export interface AgentLaunchSettings {
  custom: Record<string, CustomAgent>
  /** Programs to start instead of the agent's own, by the agent's name. */
  programs: Record<string, string[]>
  envPolicy: EnvPolicy
}

/** The credentials that several of these agents share; an agent that is not listed has an account of its own. */
export function sharedCredentialsOf(names: readonly string[], run: AgentLaunchSettings): Record<string, string> {
  const all = [...new Set(names)].map((name): [string, string] => {
    const driver = driverFor(name, run.custom)
    return [name, credentialOfDriver(driver, launchCommandOf(driver, run))]
  })
  return Object.fromEntries(
    all.filter(([name, credential]) => all.some(([other, its]) => other !== name && its === credential)),
  )
}

/** Pure: the same account yields the same credential, whatever the agent's name. */
export function credentialOfDriver(driver: Driver, { argv, env }: LaunchCommand): string {
  const account = driver.account ?? accountOfProgram(programName(argv))
  // The limits of a user's own program are unknown. The same command line counts as the same account.
  if (account === undefined) return credentialId(programName(argv), argv)
  const seen = { ...env, ...envAssignments(argv) }
  return credentialId(account.vendor, [folderOf(account, seen), ...account.env.map((name) => seen[name] ?? '')])
}

function accountOfProgram(program: string): AccountIdentity | undefined {
  return allDrivers().find(
    ({ account, program: own }) => account !== undefined && [own, ...account.programs].includes(program),
  )?.account
}

function folderOf({ folder }: AccountIdentity, env: Environment): string {
  const said = folder.env === null ? undefined : env[folder.env]
  if (said !== undefined && said !== '') return said.replace(/(?<=.)\/+$/, '')
  return join(env['HOME'] ?? env['USERPROFILE'] ?? '', folder.inHome)
}

/** Long enough that two accounts of one person do not collide, too short to be a key. */
const DIGITS = 12

function credentialId(what: string, parts: readonly string[]): string {
  return `${what}:${hashText(JSON.stringify([what, ...parts])).slice(0, DIGITS)}`
}

function launchCommandOf(driver: Driver, { programs, envPolicy }: AgentLaunchSettings): LaunchCommand {
  const program = programs[driver.name]
  const { argv, env } = driver.command({
    cwd: '',
    prompt: '',
    extraDirs: [],
    env: {},
    scratch: '',
    ...(program === undefined ? {} : { program }),
  })
  return { argv, env: childEnv({ envPolicy, receiver: { is: 'agent', keys: driver.keys }, add: env }) }
}
