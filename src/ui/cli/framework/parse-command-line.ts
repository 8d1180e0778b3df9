/** Parses a command line against a command's row. Node's own parser splits the words; an error says what to type instead. */
import { parseArgs } from 'node:util'
import { RalphError } from '../../../core/error.ts'
import { quoteShellWord } from '../../../core/text/shell.ts'
import type { FoundCommand } from './find-command.ts'
import { parseFlagValues, type RawFlags } from './flag-values.ts'
import { knownFlags, toParseArgsOptions, type KnownFlag } from './known-flags.ts'
import { refusedFlagError } from '../../../config/unsupported.ts'
import { camelCase, type FlagSpecs, type LeafCommand, type ParsedLine } from './command.ts'
import { unknownFlagError } from './unknown-flag.ts'
import { usageOf, usageLine } from './command-usage.ts'
import { parseChoice } from './parse-values.ts'
import { extraWordHint } from './other-tools.ts'

/** `bare`: no command was named, so a typo may be one in a flag of the program itself. */
export function parseCommandLine({ command, path, rest }: FoundCommand, { bare = false } = {}): ParsedLine {
  const known = knownFlags(command)
  const name = path.join(' ')
  const words: string[] = []
  const settings: ParsedLine['settings'] = {}
  const said: RawFlags = new Map()
  const { tokens } = parseArgs({
    args: rest.map(shielded),
    options: toParseArgsOptions(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  let waiting: KnownFlag | null = null
  for (const split of tokens) {
    const token = unshielded(split)
    if (token.kind === 'positional') {
      if (waiting === null) words.push(token.value)
      else said.get(waiting.long)?.splice(-1, 1, token.value)
    }
    waiting = null
    if (token.kind !== 'option') continue
    const flag = known.find(({ long }) => long === token.name) ?? known.find(({ short }) => short === token.name)
    if (flag === undefined)
      throw (
        refusedFlagError(token.rawName) ??
        unknownFlagError({ command, name, word: rest[token.index] ?? token.rawName, bare })
      )
    checkValue(flag, token, name)
    if (flag.sets === null) said.set(flag.long, [...(said.get(flag.long) ?? []), token.value ?? true])
    else settings[flag.sets.name] = flag.sets.negated ? false : (token.value ?? true)
    // An optional value is the very next word, unless that is a flag.
    if (flag.optional === true && token.value === undefined) waiting = flag
  }
  return {
    command: name,
    words,
    args: argsFrom(command, { words, path }),
    flags: parseFlagValues(command.flags ?? {}, said),
    settings,
    typed: ['ralph', ...path, ...rest.map(quoteShellWord)].join(' '),
    given: [...said.keys()],
    by: null,
  }
}

/** No program argument can contain this character. */
const SHIELD = '\0'

/** A dash and a space start a Markdown list item, not a flag. */
function shielded(word: string): string {
  return /^-+\s/.test(word) ? `${SHIELD}${word}` : word
}

function unshielded<T extends { kind: string; value?: string | undefined }>(token: T): T {
  return token.value?.startsWith(SHIELD) === true ? { ...token, value: token.value.slice(1) } : token
}

/** The given flags of a row, as one would type them. */
export function toFlagArgs(flags: FlagSpecs, values: ParsedLine['flags']): string[] {
  return Object.keys(flags).flatMap((long) => {
    const value = values[camelCase(long)] ?? false
    if (value === false) return []
    if (value === true) return [`--${long}`]
    return (Array.isArray(value) ? value : [String(value)]).map((one) => `--${long}=${one}`)
  })
}

function checkValue(
  flag: KnownFlag,
  { rawName, value, inlineValue }: { rawName: string; value: string | undefined; inlineValue: boolean | undefined },
  name: string,
): void {
  if (flag.value === undefined && value !== undefined) {
    throw new RalphError('usage', `${rawName} takes no value, but got "${value}"`)
  }
  const empty = flag.optional === true ? value === '' : isMissing(flag, value, inlineValue)
  if (flag.value !== undefined && empty) {
    throw new RalphError('usage', `${rawName} needs a value: ${rawName} ${flag.value}`, {
      hint: `See: ralph ${name} --help`,
    })
  }
}

/** A following flag is not a value; a negative number is. Only a setting may be empty (`--x=`): its kind checks that. */
function isMissing(flag: KnownFlag, value: string | undefined, inline: boolean | undefined): boolean {
  if (value === undefined || (value === '' && (inline !== true || flag.sets === null))) return true
  return inline !== true && value.startsWith('-') && value.length > 1 && !/^-(?:\d|-*\s)/.test(value)
}

function argsFrom(command: LeafCommand, { words, path }: { words: string[]; path: string[] }): ParsedLine['args'] {
  const entries = Object.entries(command.args ?? {})
  const name = path.join(' ')
  const needed = entries.filter(([, { takes }]) => takes === 'one' || takes === 'some')
  const last = entries.at(-1)?.[1].takes
  const most = last === 'some' || last === 'many' ? Infinity : entries.length
  const hint = path.length > 1 ? `Usage: ralph ${usageLine(name, command)}` : `See: ralph ${name} --help`
  if (words.length < needed.length) throw new RalphError('usage', `ralph ${name} needs ${usageOf(command)}`, { hint })
  const extra = words[most]
  if (extra !== undefined)
    throw new RalphError('usage', `ralph ${name}: unexpected argument "${extra}"`, {
      hint: extraWordHint(name, words) ?? hint,
    })
  return Object.fromEntries(
    entries.map(([key, arg], index) => {
      if (arg.takes === 'some' || arg.takes === 'many') return [key, words.slice(index)]
      const word = words[index]
      if (word === undefined || arg.of === undefined) return [key, word ?? null]
      return [key, parseChoice(word, Object.keys(arg.of), arg.says)]
    }),
  )
}
