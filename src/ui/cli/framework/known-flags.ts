/** Every flag a command line may have: the row's own, those that are settings, and `--help`. */
import { settingFlags } from '../../../config/settings.ts'
import { isCommandGroup, type Command, type FlagSpec } from './command.ts'

export interface KnownFlag extends FlagSpec {
  long: string
  /** The setting it sets; null: it is a flag of the command itself. */
  sets: { name: string; negated: boolean } | null
}

/** A group of commands has the flags of all its commands. */
export function knownFlags(command: Command): KnownFlag[] {
  const help: KnownFlag = { long: 'help', short: 'h', help: 'Show this help', sets: null }
  return [...flagsOf(command), help]
}

/** The flags on its help page: verbs with a page of their own document theirs, except for the default verb. */
export function documentedFlags(command: Command): KnownFlag[] {
  if (!isCommandGroup(command)) return knownFlags(command)
  const verbs = command.verbs.filter(({ name, examples }) => examples === undefined || name === command.usual)
  return knownFlags({ ...command, verbs })
}

function flagsOf(command: Command): KnownFlag[] {
  if (isCommandGroup(command)) {
    const all = command.verbs.flatMap(flagsOf)
    return all.filter(({ long }, index) => all.findIndex((one) => one.long === long) === index)
  }
  const own = Object.entries(command.flags ?? {}).map(([long, flag]) => ({ ...flag, long, sets: null }))
  const wanted = command.settings ?? []
  const settings = settingFlags()
    .filter(({ key }) => wanted === 'all' || wanted.includes(key))
    .map(({ flag, help }) => {
      const long = flag.negated === true ? `no-${flag.long}` : flag.long
      const known: KnownFlag = { long, help, sets: { name: flag.long, negated: flag.negated === true } }
      if (flag.short !== undefined) known.short = flag.short
      if (flag.value !== undefined) known.value = flag.value
      return known
    })
  return [...own, ...settings]
}

/** In the form that Node's parser expects. */
export function toParseArgsOptions(known: KnownFlag[]): Record<string, { type: 'string' | 'boolean'; short?: string }> {
  return Object.fromEntries(
    known.map((flag) => {
      const type = flag.value === undefined || flag.optional === true ? ('boolean' as const) : ('string' as const)
      return [flag.long, flag.short === undefined ? { type } : { type, short: flag.short }]
    }),
  )
}
