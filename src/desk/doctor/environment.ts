/** What of the user's environment agents and gates do not get here, and how to hand it on. Names and reasons, never values. */
import type { Environment } from '../../agents/driver.ts'
import { receiversOf } from '../../agents/registry.ts'
import { agentsNamed, type Settings } from '../../config/resolve.ts'
import { withheldFrom, type Handover, type WithheldVariable } from '../../domain/trust/environment.ts'
import { CASELESS } from '../../system/environment.ts'

/** What `ralph doctor --env --json` prints. */
export interface EnvironmentFacts {
  mode: Handover['mode']
  pass: readonly string[]
  /** All that somebody goes without, by name. */
  withheld: WithheldVariable[]
}

export function environmentFacts(
  { values, agents, handover }: Pick<Settings, 'values' | 'agents' | 'handover'>,
  env: Environment,
): EnvironmentFacts {
  const receivers = receiversOf(agentsNamed(values), agents)
  return { ...handover, withheld: withheldFrom(env, { handover, receivers, caseless: CASELESS }) }
}
