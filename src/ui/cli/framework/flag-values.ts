/** Turns the raw values of a row's flags into typed values. */
import { camelCase, type ParsedLine, type FlagWithoutHelp } from './command.ts'
import { parseChoice, parseInteger } from './parse-values.ts'

/** The raw values of each flag, in order; true where there is none. */
export type RawFlags = Map<string, (string | true)[]>

/** Returns a value for every flag of the row, given or not. */
export function parseFlagValues(flags: Readonly<Record<string, FlagWithoutHelp>>, said: RawFlags): ParsedLine['flags'] {
  return Object.fromEntries(
    Object.entries(flags).map(([long, flag]) => [camelCase(long), flagValue(long, flag, said.get(long))]),
  )
}

function flagValue(
  long: string,
  flag: FlagWithoutHelp,
  said: (string | true)[] | undefined,
): ParsedLine['flags'][string] {
  if (flag.value === undefined) return said !== undefined
  if (flag.many === true) {
    if (said === undefined) return flag.optional === true ? null : []
    const words = said.filter((one) => one !== true)
    return flag.of === undefined ? words : words.map((one) => parseChoice(one, flag.of ?? [], `--${long}`))
  }
  const last = said?.at(-1) ?? null
  if (last === null || last === true) return last
  if (flag.whole !== undefined) return parseInteger(last, `--${long}`, flag.whole.min)
  return flag.of === undefined ? last : parseChoice(last, flag.of, `--${long}`)
}
