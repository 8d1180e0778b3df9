/**
 * Refuses what the bash tool offered and Ralph does not, as a setting, in the environment and as a flag. To ignore it would do something
 * else than what was asked for.
 */
import { MISSING, OLD_NAMES, REFUSED_FLAGS, type OldName } from '../compat/bash/not-offered.ts'
import { RalphError } from '../domain/error.ts'

/** Words that ask for nothing, whatever they are said of. */
const NOTHING: ReadonlySet<string> = new Set(['', 'false', 'none', 'off', 'no', '0', 'null'])

/** Whether such a name asks for anything as it is set. */
export function asksFor({ default: usual }: OldName, value: unknown): boolean {
  const said: unknown[] = Array.isArray(value) ? value : [value]
  return said.map((one) => String(one).trim()).some((one) => !NOTHING.has(one.toLowerCase()) && one !== usual)
}

/** The names by which this environment asks for what is not offered. `isOld`: the project is one of the old tools, at least in part. */
export function refusedIn(
  env: Record<string, string | undefined>,
  { isOld }: { isOld: boolean },
): { name: string; old: OldName }[] {
  return OLD_NAMES.flatMap(({ defaults, ...rest }) => {
    const isMeant = rest.environment === 'everywhere' || (rest.environment === 'old projects' && isOld)
    if (rest.is !== 'refused' || !isMeant) return []
    return Object.entries(defaults)
      .map(([name, usual]) => ({ name, old: { ...rest, default: usual } }))
      .filter(({ name, old }) => asksFor(old, env[name] ?? ''))
  })
}

/** Why a flag of the bash tool is refused; null: it never was one. */
export function refusedFlag(raw: string): RalphError | null {
  const name = raw.replace(/^-+/, '').replace(/=.*$/s, '')
  const feature = (Object.keys(REFUSED_FLAGS) as (keyof typeof MISSING)[]).find((one) =>
    REFUSED_FLAGS[one].includes(name),
  )
  if (feature === undefined) return null
  return notOffered(feature, `--${name}`)
}

/** `typed`: the flag or the command that asks for it. */
export function notOffered(feature: keyof typeof MISSING, typed: string): RalphError {
  const { why, instead } = MISSING[feature]
  return new RalphError('not-offered', `${typed} is not offered: ${why}`, {
    hint: `${typed.startsWith('-') ? 'Leave the flag out. ' : ''}${instead} Nothing was started.`,
  })
}
