/**
 * Refuses features of the bash tool that Ralph does not support, as a setting, in the environment and as a flag. To ignore them would do
 * something else than the user asked for.
 */
import {
  UNSUPPORTED_FEATURES,
  UNSUPPORTED_SETTINGS,
  REFUSED_FLAGS,
  type UnsupportedSetting,
} from '../compat/bash/unsupported.ts'
import { RalphError } from '../core/error.ts'

/** Values that ask for nothing, for any name. */
const NOTHING: ReadonlySet<string> = new Set(['', 'false', 'none', 'off', 'no', '0', 'null'])

/** Whether a value of such a name asks for the feature. */
export function requestsFeature({ default: defaultValue }: UnsupportedSetting, value: unknown): boolean {
  const said: unknown[] = Array.isArray(value) ? value : [value]
  return said.map((one) => String(one).trim()).some((one) => !NOTHING.has(one.toLowerCase()) && one !== defaultValue)
}

/** Variables that ask for unsupported features. `isOld`: the project belongs to an old tool, at least in part. */
export function unsupportedEnvVariables(
  env: Record<string, string | undefined>,
  { isOld }: { isOld: boolean },
): { name: string; old: UnsupportedSetting }[] {
  return UNSUPPORTED_SETTINGS.flatMap(({ defaults, ...rest }) => {
    const isMeant = rest.environment === 'everywhere' || (rest.environment === 'old projects' && isOld)
    if (rest.is !== 'refused' || !isMeant) return []
    return Object.entries(defaults)
      .map(([name, defaultValue]) => ({ name, old: { ...rest, default: defaultValue } }))
      .filter(({ name, old }) => requestsFeature(old, env[name] ?? ''))
  })
}

/** Why a flag of the bash tool is refused; null: the bash tool had no such flag. */
export function refusedFlagError(raw: string): RalphError | null {
  const name = raw.replace(/^-+/, '').replace(/=.*$/s, '')
  const feature = (Object.keys(REFUSED_FLAGS) as (keyof typeof UNSUPPORTED_FEATURES)[]).find((one) =>
    REFUSED_FLAGS[one].includes(name),
  )
  if (feature === undefined) return null
  return unsupportedFeatureError(feature, `--${name}`)
}

/** `typed`: the flag or the command that asks for it. */
export function unsupportedFeatureError(feature: keyof typeof UNSUPPORTED_FEATURES, typed: string): RalphError {
  const { why, instead } = UNSUPPORTED_FEATURES[feature]
  return new RalphError('not-offered', `${typed} is not supported: ${why}`, {
    hint: `${typed.startsWith('-') ? 'Omit the flag. ' : ''}${instead} Nothing was started.`,
  })
}
