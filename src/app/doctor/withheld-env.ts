/** Which environment variables agents and gates do not get, and how to pass them on. Names and reasons, never values. */
import type { Environment } from '../../agents/driver.ts'
import { envReceiversOf } from '../../agents/registry.ts'
import { allAgentNames, type Settings } from '../../config/resolve.ts'
import { withheldVariables, type EnvPolicy, type WithheldVariable } from '../../core/trust/environment.ts'
import { ENV_NAMES_IGNORE_CASE } from '../../system/environment.ts'

/** What `ralph doctor --env --json` prints. */
export interface WithheldEnvFacts {
  mode: EnvPolicy['mode']
  pass: readonly string[]
  /** Every variable that an agent or a gate does not get, by name. */
  withheld: WithheldVariable[]
}

export function withheldEnvFacts(
  { values, agents, envPolicy }: Pick<Settings, 'values' | 'agents' | 'envPolicy'>,
  env: Environment,
): WithheldEnvFacts {
  const receivers = envReceiversOf(allAgentNames(values), agents)
  return { ...envPolicy, withheld: withheldVariables(env, { envPolicy, receivers, caseless: ENV_NAMES_IGNORE_CASE }) }
}
