/** Creates the masker for the output of this run's agents and gates: patterns of keys, and the secrets of environment and settings. */
import type { Settings } from './resolve.ts'
import { secretsIn } from '../core/trust/environment.ts'
import { secretSpellingsOf } from '../core/text/secret-spellings.ts'
import { fullEnvironment } from '../system/environment.ts'
import { createMasker, NO_OP_MASKER, type Masker } from '../system/mask/mask.ts'
import { currentUser } from '../system/current-user.ts'

export function createRunMasker(
  { values, gates, agents }: Pick<Settings, 'values' | 'gates' | 'agents'>,
  root: string,
): Masker {
  if (values['logs.raw']) return NO_OP_MASKER
  const tables = [...gates, ...Object.values(agents)].map(({ env }) => env)
  const secrets = [fullEnvironment(), ...tables].flatMap((env) => secretsIn(env))
  const { home, user, host } = currentUser()
  const places = [root, home, user, host].filter((place) => place !== null)
  return createMasker(secretSpellingsOf(secrets, { places }))
}
